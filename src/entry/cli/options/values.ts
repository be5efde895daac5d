import { InvalidArgumentError, Option } from 'commander';
import type { ArmChoice } from '../../../domain/arm-choice.ts';
import { armParts } from '../../../domain/arm-parts.ts';

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

/** Collects `part=name,name`, which may be repeated. */
export function armOption(text: string, before: ArmChoice = {}): ArmChoice {
  const [written = '', ...rest] = text.split('=');
  const part = armParts.find((each) => each === written.trim());
  const names = listOption(rest.join('='));
  if (part === undefined) throw new InvalidArgumentError(`It must begin with one of ${armParts.join(', ')} and \`=\`.`);
  if (names.length === 0) throw new InvalidArgumentError(`It must have a name, such as ${part}=v1.`);
  return { ...before, [part]: [...(before[part] ?? []), ...names] };
}

/** A text that says something. */
export function textOption(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/** A whole number of at least `minimum`. */
export function integerOption(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(
      `It must be a whole number from ${minimum}${maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''}.`,
    );
  };
}

/** A number between two bounds; the lower one may be excluded. */
export function numberOption(minimum: number, maximum: number, isMinimumExcluded = false): (text: string) => number {
  return (text) => {
    const value = numberIn(text);
    const isAbove = isMinimumExcluded ? value > minimum : value >= minimum;
    if (isAbove && value <= maximum) return value;
    throw new InvalidArgumentError(
      `It must be a number ${isMinimumExcluded ? 'above' : 'from'} ${minimum} ${isMinimumExcluded ? 'and at most' : 'to'} ${maximum}.`,
    );
  };
}

/** A share such as `20%` or `0.2`; it may be more than the whole. */
export function shareOption(text: string): number {
  const percent = /^(.+?)\s*%$/.exec(text.trim())?.[1];
  const value = percent === undefined ? numberIn(text) : numberIn(percent) / 100;
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('It must be a share such as 20% or 0.2.');
}

/** The number that a text is; NaN for one that is none, or is empty. */
export function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** An option that help pages leave out. */
export function hiddenOption(flags: string, summary: string, read: (text: string) => unknown): Option {
  return new Option(flags, summary).argParser(read).hideHelp();
}
