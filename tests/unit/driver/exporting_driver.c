/* A library in the place of a driver, which answers a question that the recorder must not pass on (test_record.py). */
int cuInit(unsigned flags) { return flags ? 1 : 0; }

int cuGetExportTable(const void **table, const unsigned char *id) {
    static const int answer[2] = {7, 8};
    *table = id[0] == 5 ? answer : 0;
    return id[0] == 5 ? 0 : 500;
}
