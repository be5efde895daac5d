import { readFileSync } from 'node:fs';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ToolRewrites } from '../rewrites.ts';
import type { ServerDefinition } from '../server-definition.ts';

/** Everything that a proxy has to know. It is a file, because agents differ in which variables they pass on. */
export interface ProxySpec {
  /** With every variable expanded; without `cwd` the server starts where the proxy does. */
  readonly server: ServerDefinition;
  /** Absolute. */
  readonly logFile: string;
  /** How the agent gets to see the tools, where that is not how the server words them. */
  readonly wording: ToolRewrites | null;
  /** Unique to the server and its trial: by it, and the id of a proxy, everything is found that the server starts. */
  readonly tag: string;
}

/** Reads what Assay has written for a proxy. */
export function readProxySpec(file: string): ProxySpec {
  const spec = parsed(file);
  if (!isRecord(spec) || !isRecord(spec.server) || typeof spec.logFile !== 'string' || typeof spec.tag !== 'string') {
    throw new AssayError('FILE_INVALID', `${file} does not say which server to stand in front of.`, {
      hint: 'The command is for agents: Assay writes the file when a trial begins.',
    });
  }
  return spec as unknown as ProxySpec;
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw asAssayError(error, 'FILE_INVALID');
  }
}

/** What everything carries that the server of one proxy starts. */
export function serverTag(tag: string, proxy: string): string {
  return `${tag}-${proxy}`;
}
