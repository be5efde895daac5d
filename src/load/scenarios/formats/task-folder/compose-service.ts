import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import type { ServiceSpec } from '../../../../drive/workspace/service-spec.ts';
import { isRecord } from '../../../../shared/json.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { durationSecs, healthcheckOf, wordsIn } from './compose-values.ts';
import type { UnsupportedPart } from './task-folder.ts';

/** Keys of services that say what Assay does anyway, or that make no difference in a trial. */
const needless: ReadonlySet<string> = new Set(
  'container_name expose ports restart init tty stdin_open logging labels pull_policy stop_grace_period deploy'.split(
    ' ',
  ),
);
const words = () => z.union([z.string(), z.array(z.string())]);
const values = () => z.union([z.record(z.string(), z.unknown()), z.array(z.string())]);
export const serviceSchema = () =>
  z.looseObject({
    image: z.string().optional(),
    build: z
      .union([
        z.string(),
        z.looseObject({
          context: z.string().default('.'),
          dockerfile: z.string().optional(),
          args: values().optional(),
        }),
      ])
      .optional(),
    command: words().optional(),
    entrypoint: words().optional(),
    environment: values().default({}),
    working_dir: z.string().optional(),
    user: z.union([z.string(), z.number()]).optional(),
    hostname: z.string().optional(),
    volumes: z.array(z.unknown()).default([]),
    healthcheck: z
      .looseObject({
        test: words().optional(),
        interval: durationSecs().default(30),
        timeout: durationSecs().default(30),
        start_period: durationSecs().default(0),
        retries: z.int().min(1).default(3),
        disable: z.boolean().default(false),
      })
      .optional(),
    depends_on: z
      .union([z.array(z.string()), z.record(z.string(), z.looseObject({ condition: z.string().optional() }))])
      .default([]),
  });
/** One service, as the file has it. */
export type Service = z.output<ReturnType<typeof serviceSchema>>;

/** A compose file whose services are read. */
export interface ComposeReading {
  readonly source: ParsedSource;
  /** Absolute: where the file lies. */
  readonly folder: string;
  readonly all: Readonly<Record<string, Service>>;
}

/** Settings that the program of the folder fills in for every task. */
export const isFilledIn = (setting: unknown): boolean =>
  /(?<!\$)\$(?:\{|[A-Za-z_])/.test(JSON.stringify(setting) ?? '');

/** Without these a service would be another one, and the agent would do another task. */
export function unsupportedIn(name: string, { source, folder }: ComposeReading): UnsupportedPart[] {
  const written = Object.entries(writtenOf(source, name)).filter(([key]) => !needless.has(key));
  return written
    .filter(([key, value]) => !isUsable(key, value, folder))
    .map(([key]) => ({
      at: source.locate(['services', name, key]),
      subject: `\`services.${name}.${key}\` of its compose file`,
    }));
}

function isUsable(key: string, value: unknown, folder: string): boolean {
  if (key === 'volumes') return Array.isArray(value) && value.every((one) => isFilledIn(one) || mountOf(one, folder));
  // The name that a built image gets is of no use.
  if (key === 'image') return true;
  if (key === 'build' && !isPlainBuild(value)) return false;
  return key in serviceSchema().shape && !isFilledIn(value);
}

/** Whether a build is one of a whole Dockerfile. */
export function isPlainBuild(build: unknown): boolean {
  return !isRecord(build) || Object.keys(build).every((key) => ['context', 'dockerfile', 'args'].includes(key));
}

/** The settings of a service. */
export function writtenOf({ value }: ParsedSource, name: string): Record<string, unknown> {
  const services = isRecord(value) && isRecord(value.services) ? value.services : {};
  return isRecord(services[name]) ? services[name] : {};
}

/** A folder or file of the task that a service reads; undefined for anything that it could write. */
function mountOf(volume: unknown, folder: string): ServiceSpec['mounts'][number] | undefined {
  if (typeof volume !== 'string') return undefined;
  const [from = '', to = '', mode = ''] = volume.split(':');
  const path = resolve(folder, from);
  const isOfTask = from.startsWith('.') && !relative(folder, path).startsWith('..') && existsSync(path);
  return isOfTask && isAbsolute(to) && mode.split(',').includes('ro') ? { from: path, to } : undefined;
}

export function specOf(name: string, { folder, all }: ComposeReading): ServiceSpec {
  const {
    image,
    build,
    command,
    entrypoint,
    environment = {},
    working_dir,
    user,
    volumes = [],
    healthcheck,
  } = all[name] ?? {};
  const completes = Object.values(all).some(
    ({ depends_on: on }) => !Array.isArray(on) && on[name]?.condition === 'service_completed_successfully',
  );
  return {
    name,
    ...(build === undefined ? { image, buildArguments: {} } : buildOf(build, folder)),
    ...(command !== undefined && { command: wordsIn(command) }),
    ...(entrypoint !== undefined && { entrypoint: wordsIn(entrypoint) }),
    env: variablesOf(environment),
    ...(working_dir !== undefined && { workdir: working_dir }),
    ...(user !== undefined && { user: String(user) }),
    mounts: volumes.filter((volume) => !isFilledIn(volume)).flatMap((volume) => mountOf(volume, folder) ?? []),
    ...(healthcheck && { readiness: healthcheckOf(healthcheck) }),
    completes,
  };
}

export function buildOf(build: NonNullable<Service['build']>, folder: string) {
  const { context, dockerfile = 'Dockerfile', args = {} } = typeof build === 'string' ? { context: build } : build;
  const path = resolve(folder, context);
  return { dockerfile: join(path, dockerfile), context: path, buildArguments: variablesOf(args) };
}

/** Numbers and booleans are texts; a variable without a value is left out. */
export function variablesOf(written: z.output<ReturnType<typeof values>>): Record<string, string> {
  const pairs = Array.isArray(written)
    ? written.map((text) => [text.replace(/=.*$/s, ''), /=(.*)$/s.exec(text)?.[1]] as const)
    : Object.entries(written);
  return Object.fromEntries(
    pairs.flatMap(([name, value]) => (value == null ? [] : [[name, String(value).replaceAll('$$', '$')]])),
  );
}
