import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { ToolChange, ToolDefinition } from './session.ts';

/** SHA-256 of each tool's whole definition, whatever the order of its fields. */
export function pinTools(tools: readonly ToolDefinition[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, sha256(canonicalJson(tool))]));
}

/** How the tools differ from what they were, once for each that does; empty when they are the same. */
export function toolChanges(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): ToolChange[] {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const current = new Map(now.map((tool) => [tool.name, tool]));
  const change = (tool: string, what: string, isAdded = false): ToolChange => ({
    tool,
    isAdded,
    text: `"${tool}" ${what}`,
  });
  const added = [...current.keys()].filter((name) => !old.has(name)).map((name) => change(name, 'was added', true));
  const removed = [...old.keys()].filter((name) => !current.has(name)).map((name) => change(name, 'was removed'));
  const changed = [...old.values()].flatMap((tool) => {
    const other = current.get(tool.name);
    const fields = other ? changedFields(tool, other) : [];
    return fields.length === 0 ? [] : [change(tool.name, `has another ${fields.join(', ')}`)];
  });
  return [...added, ...removed, ...changed];
}

/** Changes in words. */
export function changesText(changes: readonly ToolChange[]): string {
  return changes.map(({ text }) => text).join('; ');
}

function changedFields(before: ToolDefinition, now: ToolDefinition): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...fields].filter((field) => canonicalJson(before[field]) !== canonicalJson(now[field])).sort();
}
