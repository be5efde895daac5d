import type { ToolDefinition } from '../../../drive/mcp/session.ts';
import { pinTools } from '../../../drive/mcp/tool-pins.ts';
import { canonicalJson } from '../../../shared/json.ts';
import type { DefinitionHistory } from '../api/workbench.ts';
import type { SeenServer } from './mcp-history.ts';

type Version = DefinitionHistory['versions'][number];
type Change = Version['changes'][number];
type Definition = Readonly<Record<string, unknown>>;

/** The tools of a server at one time; definitions only where they were kept. */
interface Snapshot {
  readonly runId: string | null;
  readonly seenAt: number;
  readonly pins: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, Definition>;
}

/** Tools as an open session lists them. */
export function currentSnapshot(tools: readonly Definition[], seenAt: number): Snapshot {
  const named = tools.filter((tool) => typeof tool.name === 'string') as ToolDefinition[];
  return {
    runId: null,
    seenAt,
    pins: new Map(Object.entries(pinTools(named))),
    definitions: new Map(named.map((tool) => [tool.name, tool])),
  };
}

/** Each time that the tools of a server were not what they were before, the newest first, and the oldest sighting. */
export function definitionHistory(
  label: string,
  sightings: readonly SeenServer[],
  current: Snapshot | undefined,
): DefinitionHistory {
  const snapshots: Snapshot[] = [...(current ? [current] : []), ...sightings];
  const versions = snapshots.flatMap((snapshot, index): Version[] => {
    const { runId, seenAt, pins } = snapshot;
    const before = snapshots[index + 1];
    const changes = before ? changesBetween(before, snapshot) : [];
    if (before && changes.length === 0 && runId !== null) return [];
    return [{ runId, seenAt, tools: pins.size, isFirst: before === undefined, changes }];
  });
  return { label, versions };
}

function changesBetween(before: Snapshot, now: Snapshot): Change[] {
  const names = [...new Set([...before.pins.keys(), ...now.pins.keys()])].sort();
  return names.flatMap((tool): Change[] => {
    const [old, current] = [before.pins.get(tool), now.pins.get(tool)];
    if (old === current) return [];
    const [oldDefinition = null, definition = null] = [before.definitions.get(tool), now.definitions.get(tool)];
    const kind = old === undefined ? 'added' : current === undefined ? 'removed' : 'changed';
    const fields = kind === 'changed' && oldDefinition && definition ? changedFields(oldDefinition, definition) : [];
    return [{ tool, kind, fields, before: oldDefinition, after: definition }];
  });
}

function changedFields(before: Definition, after: Definition): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => canonicalJson(before[field]) !== canonicalJson(after[field])).sort();
}
