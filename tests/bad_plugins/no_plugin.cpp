// A library like any other.
extern "C" __attribute__((visibility("default"))) int resilin_no_plugin();
int resilin_no_plugin() {
  return 1;
}
