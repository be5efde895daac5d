import { agentReaders } from './agent-readers.ts';
import type { Reader } from './reader.ts';

/** Readers that make trials of documents, with documents that real programs wrote. */
export const readers: readonly Reader[] = [...agentReaders];
