import type { FaultSource } from './error-codes/error-kind.ts';

const sources: Readonly<Record<FaultSource, string>> = {
  user: 'config',
  target: 'tool',
  agent: 'agent',
  model: 'model',
  judge: 'judge',
  store: 'store',
  engine: 'Assay',
};

/** The source of an error in the words that users read; documents keep the key `blame`. */
export function faultSource({ blame }: { readonly blame: FaultSource }): string {
  return sources[blame];
}
