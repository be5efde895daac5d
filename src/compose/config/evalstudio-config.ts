import { basename, dirname, relative, resolve } from 'node:path';
import * as z from 'zod';
import { type Problem, ProblemsError } from '../../domain/problem.ts';
import { defaultProviderConfig } from '../../drive/models/models-config.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { problemsOf } from '../../load/sources/schema-problems.ts';
import { readSource } from '../../load/sources/source-file.ts';
import { evalStudioConfigFile } from './find-config.ts';
import type { Config, Project } from './project.ts';

const name = z.string().min(1);

const llmSettingsSchema = z.strictObject({
  provider: z.enum(['openai', 'anthropic']),
  apiKey: z.string().optional(),
  models: z.strictObject({ evaluation: name.optional(), persona: name.optional() }).default({}),
});
type LlmSettings = z.output<typeof llmSettingsSchema>;

/** Loose, because workspaces hold more than what is read here. */
const workspaceSchema = z.looseObject({
  projects: z
    .array(z.looseObject({ id: name, name: name.optional(), llmSettings: llmSettingsSchema.optional() }))
    .default([]),
  llmSettings: llmSettingsSchema.optional(),
});
type Workspace = z.output<typeof workspaceSchema>;

/** Models that EvalStudio uses where its settings name none. */
const usualModels = { openai: 'gpt-4o-mini', anthropic: 'claude-3-5-haiku-20241022' } as const;

/** Keys that Assay has under other names. */
const movedKeys = { maxConcurrency: 'concurrency', storage: 'store' } as const;

/** The project with the `llmSettings` of its EvalStudio workspace; the project's own config takes precedence. */
export async function withEvalStudioConfig(project: Project): Promise<Project> {
  const file = evalStudioConfigFile(project.folder);
  if (file === undefined) return project;
  const { workspace, source } = await readEvalStudioWorkspace(file, project.folder);
  const { settings, warnings } = chooseSettings(workspace, project.folder, file, source);
  return {
    ...project,
    config: settings === undefined ? project.config : withSettings(project.config, settings),
    warnings: [...(project.warnings ?? []), ...movedKeyWarnings(workspace, source), ...warnings],
  };
}

/** Reads `evalstudio.config.json`; problems are reported relative to the folder. */
export async function readEvalStudioWorkspace(
  file: string,
  folder: string,
): Promise<{ readonly workspace: Workspace; readonly source: ParsedSource }> {
  const source = await readSource(relative(folder, file), folder).catch(refuse);
  const parsed = workspaceSchema.safeParse(source.value);
  if (parsed.success) return { workspace: parsed.data, source };
  throw new ProblemsError(problemsOf(parsed.error, source, workspaceSchema), 'CONFIG_INVALID');
}

/** Settings of a project replace those of the workspace as a whole. */
function chooseSettings(workspace: Workspace, folder: string, file: string, source: ParsedSource) {
  const { projects, llmSettings } = workspace;
  const isWorkspace = resolve(folder) === dirname(resolve(file));
  const chosen = isWorkspace ? onlyOne(projects) : projects.find(({ id }) => id === basename(resolve(folder)));
  if (chosen || !isWorkspace) return { settings: chosen?.llmSettings ?? llmSettings, warnings: [] };
  const warnings = projects.flatMap((each, index): Problem[] =>
    each.llmSettings === undefined
      ? []
      : [
          {
            at: source.locate(['projects', index, 'llmSettings']),
            message: `\`projects[${index}].llmSettings\` is not used in the folder of the workspace`,
            hint: `Run Assay in projects/${each.id}.`,
          },
        ],
  );
  return { settings: llmSettings, warnings };
}

function onlyOne<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

function withSettings(config: Config, { provider, apiKey, models }: LlmSettings): Config {
  const evaluation = `${provider}/${models.evaluation ?? usualModels[provider]}`;
  const persona = models.persona === undefined ? undefined : `${provider}/${models.persona}`;
  const own = config.models.providers[provider] ?? defaultProviderConfig;
  const key = own.apiKey ?? (apiKey || undefined);
  return {
    ...config,
    models: {
      ...config.models,
      providers: { ...config.models.providers, [provider]: { ...own, apiKey: key } },
      judge: config.models.judge ?? evaluation,
      persona: config.models.persona ?? persona,
    },
  };
}

function movedKeyWarnings(workspace: Workspace, source: ParsedSource): Problem[] {
  return Object.entries(movedKeys).flatMap(([key, ours]) =>
    workspace[key] === undefined
      ? []
      : [
          {
            at: source.locate([key]),
            message: `\`${key}\` is not read`,
            hint: `Set \`${ours}\` in assay.config.yaml.`,
          },
        ],
  );
}

function refuse(error: unknown): never {
  if (error instanceof ProblemsError) throw new ProblemsError(error.problems, 'CONFIG_INVALID');
  throw error;
}
