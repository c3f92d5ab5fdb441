package example.shop;

import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.Tensor;
import io.hazelgrad.rref.RRef;
import io.hazelgrad.rref.RRefs;
import io.hazelgrad.spring.RemoteBeans;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Calls other workers, and holds baskets that live there. */
@RestController
class ShopController {
  private final Grid grid;
  private final RRefs rrefs;
  private final RemoteBeans beans;
  private final Map<String, RRef<Basket>> baskets = new ConcurrentHashMap<>();

  ShopController(Grid grid, RRefs rrefs, RemoteBeans beans) {
    this.grid = grid;
    this.rrefs = rrefs;
    this.beans = beans;
  }

  @GetMapping("/price")
  int price(@RequestParam String worker, @RequestParam String thing) {
    return grid.rpc().sync(worker, Prices::price, thing);
  }

  @GetMapping("/stock")
  String stock(@RequestParam String worker, @RequestParam String thing) {
    try (RRef<Stock> stock = beans.on(worker, Stock.class)) {
      return stock.sync(Stock::count, thing);
    }
  }

  /** Puts something into the basket that this instance has on a worker, and returns all in it. */
  @PostMapping("/basket")
  List<String> put(@RequestParam String worker, @RequestParam String thing) {
    RRef<Basket> basket = baskets.computeIfAbsent(worker, name -> rrefs.remote(name, Basket::new));
    try {
      return basket.sync(Basket::put, thing);
    } catch (GridException e) {
      // Its owner died, or this worker was cut off meanwhile: the next request makes another one.
      if (baskets.remove(worker, basket)) {
        basket.close();
      }
      throw e;
    }
  }

  /** Lets a worker multiply two matrices of ones, with ND4J's native library if they are large. */
  @GetMapping("/product")
  float product(@RequestParam String worker, @RequestParam int size) {
    float[] ones = new float[size * size];
    Arrays.fill(ones, 1);
    Tensor matrix = Tensor.of(ones, size, size);
    Tensor product = grid.rpc().sync(worker, Function.operator("matmul"), matrix, matrix);
    return product.toFloats()[0];
  }

  @ExceptionHandler
  ProblemDetail failed(GridException e) {
    ProblemDetail problem =
        ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, e.getMessage());
    problem.setTitle(e.status().name());
    return problem;
  }
}
