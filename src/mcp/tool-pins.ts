import { sha256 } from '../shared/ids.ts';
import { canonicalJson } from '../shared/json.ts';
import type { ToolDefinition } from './session.ts';

/** SHA-256 of each tool's whole definition, whatever the order of its fields. */
export function pinTools(tools: readonly ToolDefinition[]): Record<string, string> {
  return Object.fromEntries(tools.map((tool) => [tool.name, sha256(canonicalJson(tool))]));
}

/** How the tools differ from what they were, one text for each that does; empty when they are the same. */
export function toolChanges(before: readonly ToolDefinition[], now: readonly ToolDefinition[]): string[] {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const current = new Map(now.map((tool) => [tool.name, tool]));
  const added = [...current.keys()].filter((name) => !old.has(name)).map((name) => `"${name}" was added`);
  const removed = [...old.keys()].filter((name) => !current.has(name)).map((name) => `"${name}" was removed`);
  const changed = [...old.values()].flatMap((tool) => {
    const other = current.get(tool.name);
    const fields = other ? changedFields(tool, other) : [];
    return fields.length === 0 ? [] : [`"${tool.name}" has another ${fields.join(', ')}`];
  });
  return [...added, ...removed, ...changed];
}

function changedFields(before: ToolDefinition, now: ToolDefinition): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...fields].filter((field) => canonicalJson(before[field]) !== canonicalJson(now[field])).sort();
}
