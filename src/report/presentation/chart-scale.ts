/** Where values lie on a stretch of the screen. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
  readonly place: (value: number) => number;
}

/** A scale over whole steps (1, 2 or 5 of some power of ten) that holds every value. */
export function niceScale(values: readonly number[], from: number, to: number, wantedTicks = 4): Scale {
  const finite = values.filter(Number.isFinite);
  const least = finite.length === 0 ? 0 : Math.min(...finite);
  const most = finite.length === 0 ? 1 : Math.max(...finite);
  const size = Math.max(Math.abs(most), Math.abs(least));
  // Numbers of this size cannot distinguish the ends of the range.
  const stretch = most - least > Math.max(size, 1) * 1e-9 ? most - least : Math.max(size, 1e-6);
  const step = niceStep(stretch / wantedTicks);
  const low = Math.floor(least / step + 1e-9) * step;
  const high = Math.max(Math.ceil(most / step - 1e-9) * step, low + step);
  const count = Math.round((high - low) / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => Number((low + index * step).toPrecision(12)));
  return { low, high, ticks, place: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

function niceStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= wanted * (1 - 1e-9)) ?? 10;
  return factor * power;
}
