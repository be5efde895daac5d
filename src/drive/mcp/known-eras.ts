import { canonicalJson } from '../../shared/json.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { Era } from './session.ts';

const mostKept = 1_000;

/** The eras of servers that were opened before by this process. */
const eras = new Map<string, Era>();

function keyOf(definition: ServerDefinition, directory: string): string {
  return canonicalJson([definition, directory]);
}

export function knownEra(definition: ServerDefinition, directory: string): Era | undefined {
  return eras.get(keyOf(definition, directory));
}

/** Keeps the era of a server, which is then found out only once; undefined forgets it. */
export function rememberEra(definition: ServerDefinition, directory: string, era: Era | undefined): void {
  if (eras.size >= mostKept) eras.clear();
  if (era === undefined) eras.delete(keyOf(definition, directory));
  else eras.set(keyOf(definition, directory), era);
}
