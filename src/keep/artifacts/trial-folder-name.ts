import type { Trial } from '../../domain/trial.ts';
import { contentKey } from '../../shared/ids.ts';

/** Together with the date they stay below what the narrowest file systems allow for a name. */
const longestTool = 20;
const longestModel = 32;
const longestScenario = 40;
const suffixLength = 10;

/** The trial, as far as its folder is named after it. */
type NamedTrial = Pick<Trial, 'trialId' | 'variant'> & { readonly scenario: Pick<Trial['scenario'], 'name'> };

/** `20261115-093012-codex-openai_gpt-5-create-note-4f7a1c2b9e`: sorts by time, tells what it is, and is nobody else's. */
export function trialFolderName(trial: NamedTrial, startedAt: number): string {
  const { agent = 'direct', model = 'default' } = trial.variant;
  return [
    timeStamp(startedAt),
    safePart(agent, longestTool),
    safePart(model, longestModel),
    safePart(trial.scenario.name, longestScenario),
    contentKey([trial.trialId, String(startedAt)]).slice(0, suffixLength),
  ].join('-');
}

/** `20261115-093012`, in UTC. */
export function timeStamp(at: number): string {
  return new Date(at).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
}

/** Nothing but what every file system and every shell takes as it is. */
function safePart(text: string, longest: number): string {
  return (
    text
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._-]+/, '')
      .slice(0, longest) || '_'
  );
}
