import { grouped } from '../../../../src/shared/format.ts';

const units = ['kB', 'MB', 'GB'] as const;

/** A size for people: `512 bytes`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let value = bytes;
  let unit: string = units[0];
  for (const next of units) {
    unit = next;
    value /= 1_000;
    if (value < 999.5) break;
  }
  return `${grouped(Number(value.toPrecision(value < 10 ? 2 : 3)))} ${unit}`;
}
