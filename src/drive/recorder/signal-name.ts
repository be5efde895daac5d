import { constants } from 'node:os';

/** The name of a signal; the number of one that has none. */
export function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}
