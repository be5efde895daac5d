import { isScalar } from 'yaml';
import type { Syntax } from './read-document.ts';
import type { ResolvedChange } from './resolve-change.ts';
import { scalarText } from './value-text.ts';

/** Puts a text, number or such in the place of another and touches no other character. */
export function editScalar(text: string, { step, isInFlow }: ResolvedChange, syntax: Syntax): string | undefined {
  if (step.kind !== 'put' || !isScalar(step.old) || isStructured(step.value)) return undefined;
  const [start, end] = step.old.range ?? [0, 0];
  if (start === end || text.slice(start, end).includes('\n')) return undefined;
  const replacement = scalarText(step.value, step.old, isInFlow, syntax);
  return replacement === undefined ? undefined : text.slice(0, start) + replacement + text.slice(end);
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
