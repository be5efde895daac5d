import { AssayError } from '../../domain/errors.ts';
import type { Feature, FeatureProject } from '../../engine/feature.ts';
import { type HooksConfig, hooksSchema } from './hooks-config.ts';

/** `hooks` of the config: commands around a run, its scenarios and its trials. */
export const hooks: Feature = {
  name: 'hooks',
  config: {
    hooks: hooksSchema
      .optional()
      .describe('shell commands around runs, their scenarios and their trials; `${VAR}` is left to the shell'),
  },
  async plan(planned, { options, project }) {
    const { beforeRun = [], afterRun = [] } = hooksOf(project) ?? {};
    if (!options.detach || beforeRun.length + afterRun.length === 0) return planned;
    throw new AssayError(
      'USAGE',
      '--detach leaves no process to run the hooks `beforeRun` and `afterRun` of the config.',
      { hint: 'Wait for the run, or remove these hooks.' },
    );
  },
  async open(place) {
    const own = hooksOf(place.project);
    if (!own) return undefined;
    const { ProjectHooks } = await import('./project-hooks.ts');
    const { folder, config } = place.project;
    const timeoutMs = (place.header.request.timeoutSecs ?? config.timeoutSecs) * 1_000;
    return new ProjectHooks({ ...place, hooks: own, folder, timeoutMs });
  },
};

/** Checked by the schema of the config. */
function hooksOf({ config }: FeatureProject): HooksConfig | undefined {
  return (config as { readonly hooks?: HooksConfig }).hooks;
}
