import { isRecord } from '../../../src/shared/json.ts';
import type { FormField, UnionField } from './form-field.ts';

/** Which of its shapes a value has: the one that fits best, the first where none does. */
export function branchOf(field: UnionField, value: unknown): number {
  const scores = field.branches.map(({ field: branch }) => fit(branch, value));
  return Math.max(scores.indexOf(Math.max(...scores)), 0);
}

/** The value that a newly chosen shape begins with. */
export function emptyValue(field: FormField): unknown {
  if (field.fallback !== undefined) return field.fallback;
  switch (field.kind) {
    case 'text':
      return '';
    case 'number':
      return field.minimum ?? 0;
    case 'switch':
      return false;
    case 'choice':
      return field.options[0]?.value;
    case 'list':
      return Array.from({ length: field.minItems }, () => emptyValue(field.item));
    case 'group':
      return Object.fromEntries(
        field.entries
          .filter(({ field: inner }) => inner.isRequired && (inner.kind === 'choice' || inner.kind === 'group'))
          .map(({ key, field: inner }) => [key, emptyValue(inner)]),
      );
    case 'record':
      return {};
    case 'union':
      return field.branches[0] && emptyValue(field.branches[0].field);
    case 'anything':
      return null;
  }
}

function fit(field: FormField, value: unknown): number {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? 2 : 0;
    case 'number':
      return typeof value === 'number' ? 2 : 0;
    case 'switch':
      return typeof value === 'boolean' ? 2 : 0;
    case 'choice':
      return field.options.some((option) => option.value === value) ? 3 : 0;
    case 'list':
      return Array.isArray(value) ? 2 : 0;
    case 'record':
      return isRecord(value) ? 1.5 : 0;
    case 'group':
      return isRecord(value) ? groupFit(field.entries, value) : 0;
    case 'union':
      return Math.max(...field.branches.map(({ field: branch }) => fit(branch, value)));
    case 'anything':
      return value === undefined ? 0 : 0.5;
  }
}

/** A constant that is there decides; otherwise the shape that knows most of the keys. */
function groupFit(entries: readonly { key: string; field: FormField }[], value: Record<string, unknown>): number {
  const constants = entries.filter(({ field }) => field.kind === 'choice' && field.isRequired);
  if (constants.some(({ key, field }) => key in value && fit(field, value[key]) === 0)) return 0.1;
  const present = entries.filter(({ key }) => Object.hasOwn(value, key)).length;
  const missing = entries.filter(({ key, field }) => field.isRequired && !Object.hasOwn(value, key)).length;
  const decided = constants.filter(({ key }) => Object.hasOwn(value, key)).length * 10;
  return Math.max(2 + decided + present - missing, 0.1);
}
