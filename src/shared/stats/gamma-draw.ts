/** A draw of the gamma distribution (Marsaglia and Tsang 2000). */
export function gammaDraw(shape: number, random: () => number): number {
  if (shape < 1) return gammaDraw(shape + 1, random) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const cube = (1 + c * x) ** 3;
    if (cube > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * cube + d * Math.log(cube)) return d * cube;
  }
}
