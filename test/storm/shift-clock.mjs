/** Loaded before a program, it makes the clock of its machine go wrong. */
const shiftMs = Number(process.env.STORM_SHIFT_MS ?? 0);
const RealDate = globalThis.Date;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + shiftMs] : given));
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
