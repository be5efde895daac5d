import { type Path, valueAt } from '../../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../../src/shared/json.ts';

/** The four kinds of scenario files. */
export type ScenarioKind = 'tool' | 'cli-tool' | 'conversation' | 'mcp-server';

/** Which kind of file this is, by the keys that only one of them has. */
export function kindOfScenario(value: unknown): ScenarioKind {
  if (!isRecord(value)) return 'tool';
  if ('call' in value) return 'tool';
  if ('server' in value || 'toolHealthSuites' in value || 'workflows' in value) return 'mcp-server';
  if ('task' in value || 'target' in value || 'template_folder' in value) return 'cli-tool';
  const isConversation = conversationKeys.some((key) => key in value);
  return isConversation ? 'conversation' : 'tool';
}

const conversationKeys = ['connector', 'connectors', 'connectorId', 'messages', 'userMessages', 'persona', 'personas'];

/** A list of evaluators in a file. */
export interface EvaluatorPlace {
  readonly path: Path;
  readonly title: string;
  /** Gates have their settings beside their type; others have them under `config`. */
  readonly isOfGates: boolean;
}

/** Where evaluators stand in a file, and where new ones go. */
export function evaluatorPlaces(kind: ScenarioKind, value: unknown): readonly EvaluatorPlace[] {
  const own: EvaluatorPlace = { path: ['evaluators'], title: 'Evaluators', isOfGates: false };
  if (kind === 'cli-tool') {
    const isFlat = Array.isArray(valueAt(value, ['gates'])) && valueAt(value, ['evaluation', 'gates']) === undefined;
    return [{ path: isFlat ? ['gates'] : ['evaluation', 'gates'], title: 'Gates', isOfGates: true }, own];
  }
  if (kind !== 'mcp-server') return [own];
  const workflows = valueAt(value, ['workflows']);
  return (Array.isArray(workflows) ? workflows : []).map((workflow: unknown, index) => {
    const name = isRecord(workflow) && typeof workflow.name === 'string' ? workflow.name : `workflow ${index + 1}`;
    return { path: ['workflows', index, 'evaluators'], title: `Evaluators of ${name}`, isOfGates: false };
  });
}

const provided: Readonly<Record<ScenarioKind, readonly string[]>> = {
  tool: ['call-answer'],
  'cli-tool': ['workspace'],
  conversation: ['turns'],
  'mcp-server': ['turns', 'workspace'],
};

/** Whether an evaluator finds what it needs in trials of this kind, in this list of the file. */
export function isUsable(
  { needs, isGate }: { readonly needs: readonly string[]; readonly isGate: boolean },
  kind: ScenarioKind,
  place: EvaluatorPlace,
): boolean {
  const isThere = needs.every((need) => need === 'judge' || provided[kind].includes(need));
  return isThere && (kind === 'cli-tool' ? isGate === place.isOfGates : !isGate);
}
