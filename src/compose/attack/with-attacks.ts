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
import type { Scenario } from '../../domain/scenario.ts';
import type { CliToolConfig } from '../../drive/targets/agent-task/task-config.ts';
import { loadAttacks } from '../../load/attacks/load-attacks.ts';
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
  const { attacks, files } = await loadAttacks(choice, folder);
  return scenarios.map((scenario) => {
    const fitting = fittingAttacks(scenario, attacks);
    const labels = fitting.map(({ name, place }) => attackLabel(name, place));
    return {
      ...scenario,
      files: [...(scenario.files ?? []), ...files],
      attacks: Object.fromEntries(fitting.map((attack, index) => [labels[index] ?? '', attack])),
      variants: scenario.variants.flatMap((variant) => [noAttack, ...labels].map((attack) => ({ ...variant, attack }))),
      contentHash: sha256(canonicalJson([scenario.contentHash, fitting.map(withoutPosition)])),
    };
  });
}

/** A line that was added above an attack does not change it. */
function withoutPosition({ rule: _rule, ...attack }: PlannedAttack): object {
  return attack;
}

function fittingAttacks(scenario: Scenario, attacks: readonly PlannedAttack[]): readonly PlannedAttack[] {
  const exposure = exposureOf(scenario);
  const fitting = attacks.filter((planned) => isPossible(planned, exposure));
  if (fitting.length > 0) return fitting;
  throw new AssayError('NOTHING_TO_RUN', `None of the chosen attacks can be planted in "${scenario.name}".`, {
    hint: `Choose attacks in these places: ${exposure.places.join(', ')}.`,
  });
}

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
    default:
      throw new AssayError('USAGE', `"${name}" has no agent whose tools Assay could attack.`, {
        hint: 'Choose scenarios in which a model or a coding agent uses a CLI tool or an MCP server.',
      });
  }
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
