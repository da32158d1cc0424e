// nvcc 13.5 -arch=compute_90 -G -ptx: debugged_structures.ptx, without comments
struct Header { int length; float rows[2][3]; };
struct Packet : Header { unsigned kind : 5, size : 9; int delta : 6; void *data; };
enum class State : unsigned char { IDLE = 1, BUSY = 200 };
extern "C" __global__ void k(int *out, int n) {
  Packet p;
  p.length = n; p.kind = 17; p.size = 300; p.delta = -5; p.data = out;
  for (int i = 0; i < 6; i++) p.rows[i / 3][i % 3] = i * 0.5f;
  State s = State::BUSY;
  out[0] = p.kind + p.delta + (int)s;
  out[1] = (int)p.rows[1][2];
}
