package io.hazelgrad.grid.internal.runtime;

import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.hazelgrad.grid.Cancellation;
import io.hazelgrad.grid.Function;
import io.hazelgrad.grid.Grid;
import io.hazelgrad.grid.GridException;
import io.hazelgrad.grid.GridProvider;
import io.hazelgrad.grid.HazelgradConfig;
import io.hazelgrad.grid.Status;
import io.hazelgrad.grid.group.LostWorkers;
import io.hazelgrad.grid.internal.call.CallFuture;
import io.hazelgrad.grid.internal.concurrent.CommonPoolCheck;
import io.hazelgrad.grid.internal.concurrent.ExceptionMapper;
import io.hazelgrad.grid.internal.function.MethodLookup;
import io.hazelgrad.grid.internal.function.MethodReferenceResolver;
import io.hazelgrad.grid.internal.function.RemoteFunction.GraphFunction;
import io.hazelgrad.grid.internal.function.RemoteFunction.OperatorFunction;
import io.hazelgrad.grid.internal.proof.SecretFile;
import io.hazelgrad.grid.internal.quorum.LostWorkersByName;
import io.hazelgrad.grid.internal.quorum.QuorumService;
import io.hazelgrad.grid.internal.serve.ServerCall;
import io.hazelgrad.grid.internal.tasks.LostWorkersTask;
import io.hazelgrad.grid.internal.tasks.MemberWaits;
import io.hazelgrad.grid.spi.ClientConnection;
import io.hazelgrad.grid.spi.Proofs;
import io.hazelgrad.grid.waits.Waits;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The implementation of the API's static methods. */
public final class DefaultGridProvider
    implements GridProvider, ClientConnection.Factory, LostWorkers.Factory, Waits.Factory {
  @Override
  public Grid join(HazelgradConfig config, Config hazelcast) {
    Config prepared = prepare(hazelcast, config);
    CommonPoolCheck.check();
    HazelcastInstance instance;
    try {
      instance = Hazelcast.newHazelcastInstance(prepared);
    } catch (RuntimeException e) {
      throw new GridException(
          Status.BAD_CONFIG, "the Hazelcast member did not start: " + e.getMessage(), e);
    }
    try {
      return MemberGrid.start(instance, config, true);
    } catch (Throwable e) {
      instance.shutdown();
      throw e;
    }
  }

  @Override
  public Grid on(HazelcastInstance instance) {
    CommonPoolCheck.check();
    return MemberGrid.start(instance, MemberConfiguration.verified(instance), false);
  }

  @Override
  public @Nullable Grid current() {
    return ServerCall.currentGrid();
  }

  @Override
  public Config prepare(Config hazelcast, HazelgradConfig config) {
    return MemberConfiguration.prepare(hazelcast, config);
  }

  @Override
  public ClientConfig prepare(ClientConfig config) {
    return GridConnection.prepareClient(config);
  }

  @Override
  public ClientConnection over(
      HazelcastInstance client, ClientConfig clientConfig, HazelgradConfig config) {
    return new GridConnection(client, clientConfig, config);
  }

  @Override
  public LostWorkers of(HazelcastInstance member) {
    QuorumService quorum = QuorumService.of(member);
    return new LostWorkersByName(quorum == null ? ended -> List.of() : quorum::confirmEnd);
  }

  @Override
  public LostWorkers over(HazelcastInstance client, ClientConfig config) {
    Proofs proofs = SecretFile.proofs(config.getProperty(HazelgradConfig.SECRET_FILE_PROPERTY));
    return new LostWorkersByName(ended -> LostWorkersTask.ask(client, proofs, ended));
  }

  @Override
  public Waits waitsOver(HazelcastInstance client, ClientConfig config) {
    Proofs proofs = SecretFile.proofs(config.getProperty(HazelgradConfig.SECRET_FILE_PROPERTY));
    return new MemberWaits(client, proofs, MemberConfiguration::knowsUs);
  }

  @Override
  public <R> Function<R> resolve(Serializable reference) {
    return MethodReferenceResolver.resolve(reference);
  }

  @Override
  public <R> Function<R> named(Class<?> type, String method, Class<?>... parameterTypes) {
    return MethodLookup.named(type, method, parameterTypes);
  }

  @Override
  public <R> Function<R> operator(String name) {
    return new OperatorFunction<>(Objects.requireNonNull(name, "operator"));
  }

  @Override
  public <R> Function<R> graph(String name) {
    return new GraphFunction<>(Objects.requireNonNull(name, "graph"), 0);
  }

  @Override
  public CompletableFuture<Cancellation> cancel(CompletableFuture<?> call) {
    return CallFuture.cancel(call);
  }

  @Override
  public <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return CallFuture.await(future);
  }

  @Override
  public boolean awaitEnd(CompletableFuture<?> future, long nanos) {
    return CallFuture.awaitEnd(future, nanos);
  }

  @Override
  public GridException failure(Throwable thrown) {
    return ExceptionMapper.here(thrown);
  }
}
