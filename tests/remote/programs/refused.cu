// Calls that are not served, one of each family: each returns an error and says so once, with what to do instead.
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include <unistd.h>

#include "check.cuh"

// Of headers that need those of OpenGL, EGL and VDPAU.
extern "C" {
cudaError_t cudaGLSetGLDevice(int);
cudaError_t cudaEGLStreamConsumerDisconnect(void*);
cudaError_t cudaVDPAUGetDevice(int*, unsigned, void*);
}

// What standard error holds from here on.
class Said {
public:
  Said() : file_(std::tmpfile()), before_(dup(2)) {
    IS(file_ && before_ >= 0);
    dup2(fileno(file_), 2);
  }
  std::string end() {
    std::fflush(stderr);
    dup2(before_, 2);
    std::string text(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), ' ');
    IS(pread(fileno(file_), &text[0], text.size(), 0) == static_cast<ssize_t>(text.size()));
    return text;
  }

private:
  std::FILE* file_;
  int before_;
};

static Said* said;
static std::string expected;

#define REFUSED(name, mend, ...)                                                                       \
  do {                                                                                                 \
    for (int n = 0; n < 2; ++n) {                                                                      \
      if (name(__VA_ARGS__) != cudaErrorNotSupported || cudaGetLastError() != cudaErrorNotSupported || \
          cudaPeekAtLastError() != cudaSuccess) {                                                      \
        said->end();                                                                                   \
        std::printf("%s:%d: %s is not refused\n", __FILE__, __LINE__, #name);                          \
        std::exit(1);                                                                                  \
      }                                                                                                \
    }                                                                                                  \
    expected += std::string("tasuki: ") + #name + ": not served on remote GPUs; " + (mend) + "\n";     \
  } while (0)

int main() {
  void* memory;
  OK(cudaMalloc(&memory, 4096));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  said = new Said;
  const char* linear = "use linear memory (cudaMalloc, cudaMallocPitch, cudaMalloc3D)";
  const char* here = "memory of other libraries lies on this host: copy it";
  const char* pictures = "graphics run on this host: copy through the host";
  const char* captured = "capture a stream, and instantiate and launch the graph as it is";
  const char* advice = "advice is taken and not kept: leave the question out";
  const char* otherwise = "leave it out, or run the program on a GPU of this host";

  const cudaChannelFormatDesc floats{32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmapped = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  cudaResourceDesc resource{};
  REFUSED(cudaMallocArray, linear, &array, &floats, 64, 64, 0);
  REFUSED(cudaMallocMipmappedArray, linear, &mipmapped, &floats, cudaExtent{64, 64, 0}, 2, 0);
  REFUSED(cudaMemcpy2DToArray, linear, array, 0, 0, memory, 64, 64, 1, cudaMemcpyDeviceToDevice);
  REFUSED(cudaCreateTextureObject, linear, &texture, &resource, nullptr, nullptr);
  REFUSED(cudaCreateSurfaceObject, linear, &surface, &resource);

  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node;
  REFUSED(cudaGraphCreate, captured, &graph, 0);
  REFUSED(cudaGraphAddEmptyNode, captured, &node, graph, nullptr, 0);
  REFUSED(cudaStreamBeginCaptureToGraph, "capture with cudaStreamBeginCapture", stream, graph, nullptr,
          nullptr, 0, cudaStreamCaptureModeGlobal);
  REFUSED(cudaStreamUpdateCaptureDependencies, "let the stream wait for an event", stream, nullptr, nullptr,
          0, 0);

  cudaExternalMemory_t external{};
  cudaExternalMemoryHandleDesc handle{};
  cudaExternalMemoryBufferDesc buffer{};
  REFUSED(cudaImportExternalMemory, here, &external, &handle);
  REFUSED(cudaExternalMemoryGetMappedBuffer, here, &memory, external, &buffer);
  cudaIpcMemHandle_t ipc{};
  REFUSED(cudaIpcGetMemHandle, "memory of one process is not another's: pass it through the host", &ipc,
          memory);
  REFUSED(cudaIpcOpenMemHandle, "memory of one process is not another's: pass it through the host", &memory,
          ipc, cudaIpcMemLazyEnablePeerAccess);

  REFUSED(cudaGraphicsMapResources, pictures, 0, nullptr, stream);
  REFUSED(cudaGLSetGLDevice, pictures, 0);
  REFUSED(cudaEGLStreamConsumerDisconnect, pictures, nullptr);
  int device = 0;
  REFUSED(cudaVDPAUGetDevice, pictures, &device, 0, nullptr);

  int answer = 0;
  REFUSED(cudaMemRangeGetAttribute, advice, &answer, 4, cudaMemRangeAttributeReadMostly, memory, 4096);
  void* pages[] = {memory};
  size_t sizes[] = {4096}, first[] = {0};
  cudaMemLocation place{};
  REFUSED(cudaMemPrefetchBatchAsync, "prefetch each range with cudaMemPrefetchAsync", pages, sizes, 1, &place,
          first, 1, 0, stream);
  REFUSED(cudaMemDiscardBatchAsync, "leave it out: it is advice", pages, sizes, 1, 0, stream);
  const void* table = nullptr;
  REFUSED(cudaGetExportTable, "the driver is on another host: call the runtime", &table, nullptr);
  REFUSED(cudaDeviceFlushGPUDirectRDMAWrites, otherwise, cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
          cudaFlushGPUDirectRDMAWritesToOwner);

  const std::string text = said->end();
  if (text != expected) {
    std::printf("said:\n%sexpected:\n%s", text.c_str(), expected.c_str());
    return 1;
  }
  OK(cudaMemset(memory, 0, 4096)); // and all goes on
  OK(cudaDeviceSynchronize());
  std::puts("refused: well");
}
