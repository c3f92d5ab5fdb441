package example.shop;

import io.hazelgrad.grid.RemoteFunctions;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The stock of one instance; other instances ask for it by a reference to this bean. */
@Component
@RemoteFunctions
class Stock {
  private final String instance;

  Stock(@Value("${hazelgrad.name}") String instance) {
    this.instance = instance;
  }

  String count(String thing) {
    return thing.length() + " at " + instance;
  }
}
