/** Numbers from 0 to 1 that are the same for the same seed (a linear congruential generator with good low bits). */
export function randomFrom(seed) {
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return Number(state >> 33n) / 2 ** 31;
  };
}
