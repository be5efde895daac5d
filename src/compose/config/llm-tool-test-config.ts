import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { inReadingOrder, type Problem, ProblemsError } from '../../domain/problem.ts';
import { sharedTargetSchema } from '../../load/scenarios/formats/schema-parts.ts';
import { type Findings, parseTolerantly } from '../../load/scenarios/formats/tolerant-parse.ts';
import type { ParsedSource } from '../../load/sources/parsed-source.ts';
import { readSource } from '../../load/sources/source-file.ts';
import type { AgentConfig } from './config-schema.ts';
import type { Config } from './project.ts';

/** Content of an `llm-tool-test-config.toml`, with the keys and units of the project's config. */
interface LlmToolTestConfig extends Pick<Config, 'fixtures' | 'artifacts' | 'target' | 'agents' | 'profiles'> {
  readonly prices: Config['models']['prices'];
  readonly warnings: readonly Problem[];
}

const configName = 'llm-tool-test-config.toml';

const path = z.string().min(1);
const usd = z.number().min(0);
const names = z.array(z.string().min(1)).default([]);
const byName = <Schema extends z.ZodType>(schema: Schema) => z.record(z.string().min(1), schema).default({});

const fileSchema = z.strictObject({
  fixtures_path: path.optional(),
  results_path: path.optional(),
  target: sharedTargetSchema.optional(),
  tools: byName(z.strictObject({ name: path.optional(), command: path.optional(), models: names })),
  profiles: byName(z.strictObject({ name: path.optional(), tools: z.array(path).min(1), models: names })),
  models: byName(z.strictObject({ input_cost_per_1k_tokens: usd, output_cost_per_1k_tokens: usd })),
});

/** Reads the config of llm-tool-test in a folder; undefined when there is none. */
export async function readLlmToolTestConfig(folder: string): Promise<LlmToolTestConfig | undefined> {
  if (!existsSync(join(folder, configName))) return undefined;
  const found: Findings = { problems: [], warnings: [] };
  const source = await readSource(configName, folder).catch(refuse);
  const config = parseTolerantly({ schema: fileSchema, value: source.value, source, isTolerant: () => true }, found);
  if (!config) throw new ProblemsError(found.problems, 'CONFIG_INVALID');
  found.warnings.push(...unlikelyPrices(config.models, source));
  return {
    fixtures: config.fixtures_path,
    artifacts: config.results_path,
    target: config.target,
    agents: mapped(config.tools, ({ name, command, models }) => agentOf(name, command, models)),
    profiles: mapped(config.profiles, ({ tools, models }) => ({ agents: tools, models })),
    prices: mapped(config.models, ({ input_cost_per_1k_tokens: input, output_cost_per_1k_tokens: output }) => ({
      inputPer1M: input * 1_000,
      outputPer1M: output * 1_000,
    })),
    warnings: inReadingOrder(found.warnings),
  };
}

/** The highest prices of any model, in USD for 1,000 tokens. */
const highestPrices = { input_cost_per_1k_tokens: 0.15, output_cost_per_1k_tokens: 0.6 } as const;

/** Providers list prices for a million tokens, which are a thousand times too high here. */
function unlikelyPrices(models: z.output<typeof fileSchema>['models'], source: ParsedSource): Problem[] {
  const keys = Object.keys(highestPrices) as (keyof typeof highestPrices)[];
  return Object.entries(models).flatMap(([name, prices]) =>
    keys
      .filter((key) => prices[key] > highestPrices[key])
      .map((key) => ({
        at: source.locate(['models', name, key]),
        message: `${prices[key]} USD for 1,000 tokens is more than any model costs`,
        hint: `Write ${prices[key] / 1_000} if it is the price of a million tokens.`,
      })),
  );
}

/** A command that only repeats the name of the agent leaves it to be found as always. */
function agentOf(kind: string | undefined, command: string | undefined, models: string[]): AgentConfig {
  return { kind, command: command === kind ? undefined : command, models, env: {}, args: [] };
}

function mapped<From, To>(record: Readonly<Record<string, From>>, change: (from: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function refuse(error: unknown): never {
  if (error instanceof ProblemsError) throw new ProblemsError(error.problems, 'CONFIG_INVALID');
  throw error;
}

/** The project's config with what an `llm-tool-test-config.toml` adds; what both say is as the project's config says. */
export function withOlderConfig(config: Config, older: LlmToolTestConfig): Config {
  return {
    ...config,
    fixtures: config.fixtures ?? older.fixtures,
    artifacts: config.artifacts ?? older.artifacts,
    target: config.target ?? older.target,
    agents: { ...older.agents, ...config.agents },
    profiles: { ...older.profiles, ...config.profiles },
    models: { ...config.models, prices: { ...older.prices, ...config.models.prices } },
  };
}
