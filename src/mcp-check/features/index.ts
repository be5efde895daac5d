import type { ListedServer } from '../definitions/listed-server.ts';
import type { CheckProblem } from '../definitions/rule.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';
import { apps } from './apps.ts';
import { completions } from './completions.ts';
import type { Feature, FeatureReport } from './feature.ts';
import { prompts } from './prompts.ts';
import { resources, resourceTemplates, subscriptions } from './resources.ts';
import { Suggestions } from './suggestions.ts';

/** The features that are tried beside tools, in the order of the report. */
const features: readonly Feature[] = [resources, resourceTemplates, apps, prompts, completions, subscriptions];

/** Tries every feature that the server offers. */
export async function tryFeatures(
  server: ServerUnderCheck,
  listed: ListedServer,
): Promise<{ readonly features: FeatureReport[]; readonly problems: CheckProblem[] }> {
  const suggestions = new Suggestions(server);
  const tried: FeatureReport[] = [];
  const problems: CheckProblem[] = [];
  for (const feature of features.filter((one) => one.isOffered(listed))) {
    const outcome = await feature.check({ server, listed, suggestions });
    tried.push({ name: feature.name, tried: outcome.tried, ok: outcome.ok, leftOut: outcome.leftOut });
    problems.push(...outcome.problems);
  }
  return { features: tried, problems };
}
