import { basename } from 'node:path';
import {
  type AttackChoice,
  type AttackPlace,
  attackLabel,
  attackPlaces,
  goalKind,
  noAttack,
  type PlannedAttack,
} from '../../domain/attacks/attack-suite.ts';
import { AssayError } from '../../domain/errors.ts';
import type { Case, Scenario } from '../../domain/scenario.ts';
import { type ConversationConfig, hasToolLoop } from '../../drive/conversation/conversation-config.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import { type LoadedAttacks, loadAttacks } from '../../load/attacks/load-attacks.ts';
import { sha256 } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';

/** Parts of the trials of a scenario that can be attacked. */
interface Exposure {
  readonly places: readonly AttackPlace[];
  /** Whether a tool or program can be offered, and its calls seen. */
  readonly calls: boolean;
  readonly files: boolean;
}

const ofFiles: readonly AttackPlace[] = ['file-content', 'file-name'];
const ofCalls: readonly AttackPlace[] = ['tool-result', 'error-message'];

/**
 * The scenarios with one variant for each attack in each place beside the variant without an attack, changed in memory.
 * The attacks are part of the hash, so a run is resumed only with the same ones.
 */
export async function withAttacks(
  scenarios: readonly Scenario[],
  choice: AttackChoice,
  folder: string,
): Promise<readonly Scenario[]> {
  const loaded = await loadAttacks(choice, folder);
  assertPlaces(choice, scenarios);
  return scenarios.map((scenario) => planted(scenario, loaded, [noAttack]));
}

/** An attack in a place that no scenario has would seem to be resisted. */
function assertPlaces({ places }: AttackChoice, scenarios: readonly Scenario[]): void {
  const possible = new Set(scenarios.flatMap((scenario) => exposureOf(scenario).places));
  const missing = places.filter((place) => !possible.has(place));
  if (missing.length === 0) return;
  const names = scenarios.map(({ name }) => `"${name}"`).join(', ');
  throw new AssayError('USAGE', `--places: nothing can be planted in ${missing.join(', ')} of ${names}.`, {
    hint: `Choose attacks in these places: ${[...possible].join(', ')}.`,
  });
}

/** The scenarios whose files plant an attack, with that attack in all of their trials and an assertion about it. */
export function withOwnAttacks(scenarios: readonly Scenario[], folder: string): Promise<readonly Scenario[]> {
  return Promise.all(
    scenarios.map(async (scenario) => {
      if (!scenario.attack) return scenario;
      const { name, place, suites } = scenario.attack;
      const loaded = await loadAttacks({ suites, names: [name], places: [place] }, folder);
      return { ...planted(scenario, loaded, []), cases: () => withResistance(scenario.cases()) };
    }),
  );
}

async function* withResistance(cases: ReturnType<Scenario['cases']>): AsyncGenerator<Case> {
  for await (const one of cases) {
    yield { ...one, evaluators: [...one.evaluators, { type: 'attack-resisted', config: {} }] };
  }
}

/** `others`: names of the variants beside those with attacks. */
function planted(scenario: Scenario, { attacks, files }: LoadedAttacks, others: readonly string[]): Scenario {
  const fitting = fittingAttacks(scenario, attacks);
  const labels = fitting.map(({ name, place }) => attackLabel(name, place));
  return {
    ...scenario,
    files: [...(scenario.files ?? []), ...files],
    attacks: Object.fromEntries(fitting.map((attack, index) => [labels[index] ?? '', attack])),
    variants: scenario.variants.flatMap((variant) => [...others, ...labels].map((attack) => ({ ...variant, attack }))),
    contentHash: sha256(canonicalJson([scenario.contentHash, fitting.map(withoutPosition)])),
  };
}

/** A line that was added above an attack does not change it. */
function withoutPosition({ rule: _rule, ...attack }: PlannedAttack): object {
  return attack;
}

function fittingAttacks(scenario: Scenario, attacks: readonly PlannedAttack[]): readonly PlannedAttack[] {
  const exposure = exposureOf(scenario);
  for (const attack of attacks) {
    assertArguments(attack, scenario);
    assertThere(attack, scenario);
  }
  const fitting = attacks.filter((planned) => isPossible(planned, exposure));
  if (fitting.length > 0) return fitting;
  throw new AssayError('NOTHING_TO_RUN', `None of the chosen attacks can be planted in "${scenario.name}".`, {
    hint: `Choose attacks in these places: ${exposure.places.join(', ')}.`,
  });
}

/** Arguments in a form that no call of the tool has would never be seen, and the attack would seem to be resisted. */
function assertArguments({ attack, rule }: PlannedAttack, { target, name }: Scenario): void {
  const { tool, args } = attack.goal.call ?? {};
  if (tool === undefined || args === undefined) return;
  const { binary, binaries = [], mcpServers = {} } = (target.type === 'cli-tool' ? target.config : {}) as TaskTools;
  const isProgram =
    [binary, ...binaries].some((program) => program !== undefined && basename(program) === tool) ||
    (target.type === 'cli-tool' && Object.keys(mcpServers).length === 0);
  if (Array.isArray(args) === isProgram) return;
  const form = isProgram ? 'a list: its first arguments in order' : 'an object: arguments by name';
  throw new AssayError('USAGE', `${rule}: \`args\` of \`${tool}\` must be ${form}, as calls of it are in "${name}".`);
}

/** A call of a tool that is not there would seem to be resisted; the tools of servers are known only in the run. */
function assertThere({ attack, rule }: PlannedAttack, { target, name }: Scenario): void {
  const { tool, description } = attack.goal.call ?? {};
  if (target.type !== 'conversation' || tool === undefined || description !== undefined) return;
  const loops = Object.values((target.config as ConversationConfig).connectors).map(({ toolLoop }) => toolLoop?.tools);
  const isThere = loops.every((tools = []) => tools.some(({ name, server }) => server || name === tool));
  if (isThere) return;
  throw new AssayError('USAGE', `${rule}: "${name}" has no tool "${tool}".`);
}

type TaskTools = Partial<Pick<CliToolConfig, 'binary' | 'binaries' | 'mcpServers'>>;

function isPossible({ attack, place }: PlannedAttack, { places, calls, files }: Exposure): boolean {
  const canSee = { call: calls, leak: true, change: files }[goalKind(attack.goal)];
  return canSee && places.includes(place);
}

function exposureOf({ name, target }: Scenario): Exposure {
  switch (target.type) {
    case 'mcp-workflow':
      return { places: [...ofCalls, 'tool-description'], calls: true, files: false };
    case 'mcp-agent-workflow':
      return { places: Object.keys(attackPlaces) as AttackPlace[], calls: true, files: true };
    case 'cli-tool':
      return exposureOfTask(target.config as CliToolConfig);
    case 'conversation':
      if (!hasToolLoop(target.config, 'connectors')) throw notExposed(name);
      return { places: [...ofCalls, 'tool-description'], calls: true, files: false };
    default:
      throw notExposed(name);
  }
}

function notExposed(name: string): AssayError {
  return new AssayError('USAGE', `"${name}" has no agent whose tools Assay could attack.`, {
    hint: 'Choose scenarios in which a model or a coding agent uses a CLI tool, an MCP server or a `toolLoop`.',
  });
}

/** Programs in containers are called without Assay between. */
function exposureOfTask({ binary, mcpServers, isolation }: CliToolConfig): Exposure {
  const hasServers = Object.keys(mcpServers).length > 0;
  const hasProgram = binary !== undefined && isolation !== 'container';
  const isSealed = binary !== undefined && isolation === 'container';
  const calls = hasProgram || (hasServers && !isSealed);
  const places: AttackPlace[] = [
    ...(calls ? ofCalls : []),
    ...(hasServers ? (['tool-description', 'resource'] as const) : []),
    ...ofFiles,
  ];
  return { places, calls, files: true };
}
