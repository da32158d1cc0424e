// Managed memory: a linked list that the host makes and a kernel walks and changes, and __managed__ variables.
// > values: 100 as on the host
// > total 5050, appended 100, tail 101
#include "check.h"

struct Node {
    int value;
    Node *next;
};

__managed__ int total;
__managed__ Node *tail;

__global__ void double_values(Node *node, Node *spare)
{
    total = 0;
    for (; node; node = node->next) {
        total += node->value;
        node->value *= 2;
        if (!node->next) {
            spare->value = 101;
            spare->next = nullptr;
            node->next = spare;
            tail = spare;
            break;
        }
    }
}

int main()
{
    Node *first = nullptr, *spare;
    for (int i = 100; i >= 1; i--) {
        Node *node;
        CALL(cudaMallocManaged(&node, sizeof(Node)));
        *node = {i, first};
        first = node;
    }
    CALL(cudaMallocManaged(&spare, sizeof(Node)));
    total = -1;
    double_values<<<1, 1>>>(first, spare);
    LAUNCHED();
    CALL(cudaDeviceSynchronize());
    int values[100], wanted[100], count = 0;
    for (Node *node = first; node->next; node = node->next) {
        values[count] = node->value;
        wanted[count] = 2 * (count + 1);
        count++;
    }
    same("values", values, wanted, count);
    printf("total %d, appended %d, tail %d\n", total, count, tail->value);
    int *address;
    size_t size;
    CALL(cudaGetSymbolAddress((void **)&address, total));
    CALL(cudaGetSymbolSize(&size, total));
    EXPECT(address == &total && size == sizeof(int));
    cudaPointerAttributes attributes;
    CALL(cudaPointerGetAttributes(&attributes, first));
    EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == attributes.hostPointer);
    for (Node *node = first; node;) {
        Node *next = node->next;
        CALL(cudaFree(node));
        node = next;
    }
    return 0;
}
