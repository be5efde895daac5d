import type { Problem } from '../../../../domain/problem.ts';
import type { Case, PartSpec } from '../../../../domain/scenario.ts';
import type { Variant } from '../../../../domain/variant.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../sources/parsed-source.ts';
import { type CliToolDefaults, noCliToolDefaults, type ReadContext, type ReadScenario } from '../../scenario-format.ts';
import { chooseVariants, overridingKey } from '../agent-variants.ts';
import { parseTolerantly } from '../tolerant-parse.ts';
import { contentHash } from './content-hash.ts';
import { compositeWeights, readEvaluation, readGates } from './evaluation-section.ts';
import { type LlmToolTestFile, type LlmToolTestReading, llmToolTestSchema } from './llm-tool-test-schema.ts';
import { findGuidance, findTemplate } from './named-files.ts';
import { cliToolConfig, promptOf, resolveTarget, targetProblems } from './target-section.ts';

/** Sections with the user's own keys, or with their own rules for empty values. */
const untouched = new Set(['env', 'evaluators', 'guidance', 'mcp_servers']);

/** Data without empty keys: an empty section counts as missing. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const filled = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(filled.map(([key, part]) => [key, untouched.has(key) ? part : withoutEmpty(part)]));
}

/** Agents take longer than direct calls. */
const defaultTimeoutSecs = 300;

/** Reads a scenario file of llm-tool-test, or returns its problems. */
export async function readLlmToolTest(
  source: ParsedSource,
  context: ReadContext,
): Promise<ReadScenario | readonly Problem[]> {
  const defaults = context.defaults.cliTools ?? noCliToolDefaults;
  const reading: LlmToolTestReading = { source, context, defaults, found: { problems: [], warnings: [] } };
  const { found } = reading;
  const filled = withoutEmpty(source.value);
  const value = isRecord(filled) ? filled : {};
  const schema = llmToolTestSchema(context.parts, value);
  const file = parseTolerantly({ schema, value, source, isTolerant, decidingKeys }, found);
  const gates = await readGates(value, binaryIn(value, defaults), reading);
  const scenario = file && (await buildScenario(file, gates, reading));
  return scenario && found.problems.length === 0 ? { ...scenario, warnings: found.warnings } : found.problems;
}

/** Keys that decide whether the work passes. */
const decidingKeys = ['evaluation', 'gates', 'evaluators', 'scripts'];

/** llm-tool-test ignored unknown keys; where the work is judged they are refused. */
function isTolerant([first]: DataPath): boolean {
  return first !== 'mcp_servers' && !decidingKeys.includes(String(first));
}

function binaryIn(value: unknown, { target, targetBinary }: CliToolDefaults): string {
  const written = valueAt(value, ['target', 'binary']);
  return targetBinary ?? (typeof written === 'string' ? written : (target?.binary ?? 'my-tool'));
}

async function buildScenario(
  file: LlmToolTestFile,
  gates: readonly PartSpec[],
  reading: LlmToolTestReading,
): Promise<ReadScenario | undefined> {
  const { source, context, defaults, found } = reading;
  const target = await resolveTarget(file.target, reading);
  const template = await findTemplate(file.template_folder, reading);
  const guidance = await findGuidance(file.guidance, reading);
  const variants = readVariants(file, [...guidance.keys()], reading);
  const evaluation = await readEvaluation(file, gates, reading);
  const composite = compositeWeights(file, reading);
  const config = target && cliToolConfig(file, target, { template, guidance });
  if (config) found.problems.push(...targetProblems(config, reading));
  if (!target || !evaluation || found.problems.length > 0) return undefined;
  const content = [target, evaluation.judge.evaluators];
  const onlyCase: Case = {
    caseId: 'task',
    input: promptOf(file),
    expected: undefined,
    evaluators: evaluation.evaluators,
  };
  return {
    name: file.name,
    description: file.description,
    file: source.file,
    directory: context.directory,
    files: evaluation.judge.files,
    tags: file.tags,
    workerTags: file.worker?.tags,
    tier: file.tier,
    repeat: context.defaults.repeat ?? file.repeat,
    timeoutMs: (file.run.timeout_secs ?? defaults.timeoutSecs ?? defaultTimeoutSecs) * 1_000,
    target: { type: 'cli-tool', config },
    judge: evaluation.judge.choice,
    variants,
    composite,
    caseCount: 1,
    contentHash: await contentHash({ template, guidance, content }, reading),
    ownFolders: [...(template === undefined ? [] : [template]), ...guidance.values()],
    cases: () => once(onlyCase),
  };
}

function readVariants(
  file: LlmToolTestFile,
  guidance: readonly string[],
  reading: LlmToolTestReading,
): readonly Variant[] {
  const { source, defaults, found } = reading;
  const { variants, problems } = chooseVariants(file, defaults, guidance);
  found.problems.push(...problems.map(({ path, ...words }) => ({ at: source.locate(path), ...words })));
  const overriding = overridingKey(file, defaults);
  if (overriding) {
    const message = `\`${overriding}\` overrides the agents and models of the command line`;
    found.warnings.push({ at: source.locateKey([], overriding), message });
  }
  return variants;
}

async function* once(item: Case): AsyncGenerator<Case, void> {
  yield item;
}
