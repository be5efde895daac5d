import { InvalidArgumentError } from 'commander';

/** Collects a comma separated option that may also be repeated. */
export function listOption(text: string, before: readonly string[] = []): string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ];
}

/** A text that says something. */
export function textOption(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** A whole number of at least `minimum`. */
export function integerOption(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(
      `It must be a whole number from ${minimum}${maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''}.`,
    );
  };
}

/** A number between two bounds; the lower one may be excluded. */
export function numberOption(minimum: number, maximum: number, isMinimumExcluded = false): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    const isAbove = isMinimumExcluded ? value > minimum : value >= minimum;
    if (isAbove && value <= maximum) return value;
    throw new InvalidArgumentError(
      `It must be a number ${isMinimumExcluded ? 'above' : 'from'} ${minimum} ${isMinimumExcluded ? 'and at most' : 'to'} ${maximum}.`,
    );
  };
}
