import { AssayError } from '../../domain/errors.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import type { Variant } from '../../domain/variant.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson, isRecord } from '../../shared/json.ts';
import type { Parts } from '../parts.ts';

/** Changes to what one case sends; keys that are left out stay as the files have them. */
export interface CaseInput {
  readonly input?: unknown;
  /** For conversations: the messages that begin it, and those of the user. */
  readonly messages?: readonly unknown[] | undefined;
  readonly userMessages?: readonly string[] | undefined;
}

/** One case of a scenario under one variant, with changed input. */
export interface CaseEdit extends CaseInput {
  readonly caseId: string;
  readonly variant: Variant;
}

/** Kinds of target whose input is the input of the case. */
const withInput = ['command', 'http', 'module', 'mcp-tool', 'cli-tool'];

/** Keys of `CaseInput` that a scenario has; none for suites and workflows of MCP servers. */
export function editableKeys({ target }: Pick<Scenario, 'target'>): readonly (keyof CaseInput)[] {
  if (target.type === 'conversation')
    return editableTexts(target.config) ? ['input', 'messages', 'userMessages'] : ['input', 'messages'];
  return withInput.includes(target.type) ? ['input'] : [];
}

/** The messages of the user; undefined where one has attachments, which are edited in the file. */
function editableTexts(config: unknown): readonly string[] | undefined {
  const { userMessages = [] } = config as { readonly userMessages?: readonly unknown[] };
  const texts = userMessages.filter((message) => typeof message === 'string');
  return texts.length === userMessages.length ? texts : undefined;
}

/** The input of a case as its files have it. */
export function caseInput(scenario: Scenario, { input }: Case): CaseInput {
  if (scenario.target.type !== 'conversation') return { input };
  const { messages = [] } = scenario.target.config as CaseInput;
  const userMessages = editableTexts(scenario.target.config);
  return { input, messages, ...(userMessages && { userMessages }) };
}

/** The case with this id; undefined where the files have none. */
export async function findCase(scenario: Scenario, caseId: string): Promise<Case | undefined> {
  for await (const each of scenario.cases()) if (each.caseId === caseId) return each;
  return undefined;
}

/**
 * A scenario of one case and one variant with the changed input. Its hash is another one, so nothing takes its trial for
 * one of the scenario in the files.
 */
export async function withEditedCase(scenario: Scenario, edit: CaseEdit, { targets }: Parts): Promise<Scenario> {
  const found = await findCase(scenario, edit.caseId);
  if (!found) throw unusable(`"${scenario.name}" has no case "${edit.caseId}" any more.`);
  const variant = scenario.variants.find((each) => canonicalJson(each) === canonicalJson(edit.variant));
  if (!variant) throw unusable(`"${scenario.name}" is no longer run with this variant.`);
  const { caseId: _, variant: __, ...input } = edit;
  const keys = editableKeys(scenario);
  const foreign = Object.keys(input).find((key) => !keys.includes(key as keyof CaseInput));
  if (foreign !== undefined)
    throw unusable(`The input of "${scenario.name}" has no \`${foreign}\` that can be edited.`);
  assertInput(scenario, input);
  const testCase = 'input' in input ? { ...found, input: input.input } : found;
  return {
    ...scenario,
    target: { ...scenario.target, config: editedConfig(scenario, input, targets) },
    repeat: 1,
    variants: [variant],
    caseCount: 1,
    contentHash: sha256(canonicalJson([scenario.contentHash, edit.caseId, input])),
    // An edited input is another task.
    identity: undefined,
    async *cases() {
      yield testCase;
    },
  };
}

function assertInput({ target, name }: Scenario, edit: CaseInput): void {
  if (!('input' in edit)) return;
  const { input } = edit;
  if (target.type === 'cli-tool' && (typeof input !== 'string' || input.trim() === ''))
    throw unusable(`The input of "${name}" is its prompt, a text that is not empty.`);
  if (target.type === 'conversation' && !isRecord(input))
    throw unusable(`The input of "${name}" is an object with the values of its templates.`);
}

function editedConfig({ target, name }: Scenario, input: CaseInput, targets: Parts['targets']): unknown {
  const { input: _, ...changes } = input;
  if (Object.keys(changes).length === 0) return target.config;
  const kind = targets.find(({ type }) => type === target.type);
  const parsed = kind?.configSchema.safeParse({ ...(target.config as object), ...changes });
  if (parsed?.success) return parsed.data;
  const issue = parsed?.error.issues[0];
  throw unusable(`The changed input of "${name}" is wrong: ${issue?.path.map(String).join('.')}: ${issue?.message}.`);
}

function unusable(message: string): AssayError {
  return new AssayError('USAGE', message, { hint: 'Run the scenario again, and edit a trial of that run.' });
}
