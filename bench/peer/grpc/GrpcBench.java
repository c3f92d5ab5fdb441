import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Unary calls of 64 bytes by gRPC-java between two JVMs of one machine, beside our calls that echo
 * 64 bytes. Prints figures as our benchmarks do, one JSON object a line.
 *
 * <pre>java -cp 'target/lib/*' GrpcBench.java</pre>
 */
public final class GrpcBench {
  private static final int WARM_UP = 60_000;
  private static final int SAMPLES = 20_000;
  private static final int CALLS = 300_000;

  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] bytes) {
          return new ByteArrayInputStream(bytes);
        }

        @Override
        public byte[] parse(InputStream in) {
          try {
            return in.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };
  private static final MethodDescriptor<byte[], byte[]> ECHO =
      MethodDescriptor.<byte[], byte[]>newBuilder(BYTES, BYTES)
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("bench/echo")
          .build();

  private GrpcBench() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      serve();
      return;
    }
    ProcessHandle.Info self = ProcessHandle.current().info();
    List<String> command = new ArrayList<>(List.of(self.command().orElseThrow()));
    command.addAll(List.of(self.arguments().orElseThrow()));
    command.add("server");
    Process server =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      String port = new BufferedReader(new InputStreamReader(server.getInputStream())).readLine();
      measure(Integer.parseInt(port));
    } finally {
      server.destroy();
    }
  }

  /** Serves on a free port, whose number it prints, until the standard input ends. */
  private static void serve() throws IOException {
    Server server =
        NettyServerBuilder.forPort(0)
            .addService(
                ServerServiceDefinition.builder("bench")
                    .addMethod(
                        ECHO,
                        ServerCalls.asyncUnaryCall(
                            (request, reply) -> {
                              reply.onNext(request);
                              reply.onCompleted();
                            }))
                    .build())
            .build()
            .start();
    System.out.println(server.getPort());
    while (System.in.read() >= 0) {}
    server.shutdownNow();
  }

  private static void measure(int port) throws InterruptedException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
    byte[] data = new byte[64];
    for (int i = 0; i < WARM_UP; i++) {
      ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, data);
    }
    long[] nanos = new long[SAMPLES];
    for (int i = 0; i < nanos.length; i++) {
      long start = System.nanoTime();
      ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, data);
      nanos[i] = System.nanoTime() - start;
    }
    Arrays.sort(nanos);
    System.out.printf(
        "{\"name\":\"rpc_sync_echo\",\"params\":{},\"value\":%.1f,\"unit\":\"us\"}%n",
        nanos[nanos.length / 2] / 1e3);
    for (int outstanding : new int[] {1, 8, 64, 1024}) {
      callsPerSecond(channel, data, outstanding); // This one warms up.
      System.out.printf(
          "{\"name\":\"rpc_async_throughput\",\"params\":{\"function\":\"echo\",\"outstanding\":%d},"
              + "\"value\":%.0f,\"unit\":\"calls/s\"}%n",
          outstanding, callsPerSecond(channel, data, outstanding));
    }
    channel.shutdownNow();
  }

  private static double callsPerSecond(ManagedChannel channel, byte[] data, int outstanding)
      throws InterruptedException {
    int calls = outstanding < 64 ? CALLS / 10 : CALLS;
    Semaphore room = new Semaphore(outstanding);
    long start = System.nanoTime();
    for (int i = 0; i < calls; i++) {
      room.acquire();
      ClientCalls.asyncUnaryCall(
          channel.newCall(ECHO, CallOptions.DEFAULT),
          data,
          new StreamObserver<byte[]>() {
            @Override
            public void onNext(byte[] value) {}

            @Override
            public void onError(Throwable error) {
              throw new IllegalStateException(error);
            }

            @Override
            public void onCompleted() {
              room.release();
            }
          });
    }
    room.acquire(outstanding);
    return calls / ((System.nanoTime() - start) / 1e9);
  }
}
