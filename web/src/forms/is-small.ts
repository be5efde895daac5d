import type { FormField } from './form-field.ts';

/** Whether a field takes one line, so that it needs no folding. */
export function isSmall({ kind }: FormField): boolean {
  return kind === 'text' || kind === 'number' || kind === 'choice' || kind === 'switch';
}
