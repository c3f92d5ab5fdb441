package io.hazelgrad.cli.gpt;

import com.fasterxml.jackson.databind.JsonNode;
import io.hazelgrad.autograd.optim.AdamW;
import io.hazelgrad.autograd.optim.Optimizer;
import io.hazelgrad.autograd.optim.Sgd;
import io.hazelgrad.cli.replay.JsonFields;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads optimizers with torch's names: {@code {"kind": "sgd", "lr": 0.1, "momentum": 0.9}}. */
final class OptimizerReader {
  private static final String KIND = "kind";

  private OptimizerReader() {}

  static Optimizer read(JsonFields fields) {
    String kind = fields.text(KIND);
    return switch (kind) {
      case "sgd" -> sgd(fields);
      case "adamw" -> adamW(fields);
      default -> throw fields.bad(KIND, "must be sgd or adamw, is " + kind);
    };
  }

  private static Sgd sgd(JsonFields fields) {
    refuseOthers(fields, Set.of("lr", "momentum", "dampening", "weight_decay", "nesterov"));
    return Sgd.of(fields.number("lr"))
        .withDampening(fields.number("dampening", 0))
        .withMomentum(fields.number("momentum", 0))
        .withWeightDecay(fields.number("weight_decay", 0))
        .withNesterov(fields.flag("nesterov", false));
  }

  private static AdamW adamW(JsonFields fields) {
    refuseOthers(fields, Set.of("lr", "betas", "eps", "weight_decay"));
    AdamW defaults = AdamW.defaults();
    AdamW adamW =
        defaults
            .withLearningRate(fields.number("lr", defaults.learningRate()))
            .withEpsilon(fields.number("eps", defaults.epsilon()))
            .withWeightDecay(fields.number("weight_decay", defaults.weightDecay()));
    if (!fields.has("betas")) {
      return adamW;
    }
    JsonNode betas = fields.list("betas");
    if (betas.size() != 2 || !betas.get(0).isNumber() || !betas.get(1).isNumber()) {
      throw fields.bad("betas", "must be a list of two numbers, is " + betas);
    }
    return adamW.withBetas(betas.get(0).doubleValue(), betas.get(1).doubleValue());
  }

  private static void refuseOthers(JsonFields fields, Set<String> known) {
    for (Map.Entry<String, JsonNode> option : fields.members()) {
      if (!known.contains(option.getKey()) && !option.getKey().equals(KIND)) {
        throw fields.bad(
            option.getKey(),
            "is no option of this kind, whose options are " + new TreeSet<>(known));
      }
    }
  }
}
