import { isRecord } from '../../shared/json.ts';
import type { ListedServer } from '../definitions/listed-server.ts';
import type { ListedScenario } from './suite.ts';

/** The first version whose requests stand for themselves. */
const firstModern = '2026-07-28';
/** The tool by which a server shows that it was written for the suite. */
const exampleTool = 'test_simple_text';

/** Scenarios that do without tools of the example server, with the capability that they need. */
const needs: ReadonlyMap<string, string | undefined> = new Map([
  ['server-initialize', undefined],
  ['server-session-lifecycle', undefined],
  ['server-stateless', undefined],
  ['ping', undefined],
  ['caching', undefined],
  ['logging-set-level', 'logging'],
  ['tools-list', 'tools'],
  ['http-header-validation', 'tools'],
  ['server-sse-multiple-streams', 'tools'],
  ['resources-list', 'resources'],
  ['sep-2164-resource-not-found', 'resources'],
  ['prompts-list', 'prompts'],
  ['dns-rebinding-protection', undefined],
]);

/** Scenarios about HTTP itself, which say nothing of a server that is reached over stdio. */
const aboutHttp: ReadonlySet<string> = new Set([
  'server-session-lifecycle',
  'server-sse-multiple-streams',
  'server-sse-polling',
  'http-header-validation',
  'http-custom-header-server-validation',
  'dns-rebinding-protection',
]);

/** How the suite reaches the server: itself on this machine, over a network or a relay, or through a bridge to stdio. */
export type Reach = 'local' | 'remote' | 'bridge';

/** A scenario that is run, under one version of the specification. */
export interface ChosenScenario {
  readonly name: string;
  readonly version: string | null;
}

interface Choice {
  readonly listed: ListedServer;
  readonly reach: Reach;
  /** Whether the version that is named makes a difference. */
  readonly speaksVersions: boolean;
}

/** The scenarios that the server can pass: all of them if it was written for the suite. */
export function applicableScenarios(scenarios: readonly ListedScenario[], choice: Choice): ChosenScenario[] {
  const { listed, reach, speaksVersions } = choice;
  const isExample = listed.tools.some(({ name }) => name === exampleTool);
  return scenarios.flatMap(({ name, kind, versions }): ChosenScenario[] => {
    if (kind !== 'server' || (!isExample && !needs.has(name))) return [];
    // Only on this machine does the server see the `Host` that the suite sends.
    if (name === 'dns-rebinding-protection' && reach !== 'local') return [];
    if (reach === 'bridge' && aboutHttp.has(name)) return [];
    const need = needs.get(name);
    if (need !== undefined && !isRecord(listed.facts.capabilities[need])) return [];
    const spoken = versions.filter((version) => isSpoken(version, listed));
    if (spoken.length === 0 && versions.length > 0) return [];
    return speaksVersions && spoken.length > 0
      ? spoken.map((version) => ({ name, version }))
      : [{ name, version: null }];
  });
}

/** Versions of the era that the session speaks, up to the version that was negotiated. */
function isSpoken(version: string, { facts }: ListedServer): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version) || version > facts.protocolVersion) return false;
  return facts.era === 'modern' ? version >= firstModern : version < firstModern;
}

/** Methods by the capability that a server declares them with. */
const methodsOf: Readonly<Record<string, RegExp>> = {
  tools: /\btools\//,
  prompts: /\bprompts\//,
  resources: /\bresources\//,
  completions: /\bcompletion\//,
  logging: /\blogging\//,
};

/** A check of the suite that did not pass. */
export interface FailedCheck {
  readonly id: string;
  readonly message: string;
}

/** Who is tried by a check. */
export interface Tried {
  readonly listed: ListedServer;
  readonly reach: Reach;
}

/**
 * Whether a failed check is about a tool of the example server, about a capability that the server does not declare, or
 * about HTTP where that is spoken by the bridge.
 */
export function isUnjudgeable({ id, message }: FailedCheck, { listed: { facts }, reach }: Tried): boolean {
  if (/\bnot testable\b/i.test(message)) return true;
  if (reach === 'bridge' && /\bhttp\b|header|\bstream\b/.test(id)) return true;
  if (!/-32601|method not found/i.test(message)) return false;
  return Object.entries(methodsOf).some(
    ([capability, methods]) => methods.test(message) && !isRecord(facts.capabilities[capability]),
  );
}
