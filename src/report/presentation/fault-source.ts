import type { Blame } from '../../domain/errors.ts';

const sources: Readonly<Record<Blame, string>> = {
  user: 'config',
  target: 'tool',
  agent: 'agent',
  model: 'model',
  judge: 'judge',
  store: 'store',
  engine: 'Assay',
};

/** The source of an error in the words that users read; documents keep the key `blame`. */
export function faultSource({ blame }: { readonly blame: Blame }): string {
  return sources[blame];
}
