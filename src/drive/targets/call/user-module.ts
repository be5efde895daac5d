import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { untilAborted } from '../../../shared/async.ts';
import { nearestFile } from '../../../shared/nearest-file.ts';
import type { ConfigIssue, TargetContext } from '../target.ts';
import { ModuleWorkerClient } from './module-worker-client.ts';

/** A function of a module, as scenarios name it. */
export const userModuleSchema = () =>
  z.strictObject({
    module: z.string().min(1).describe('JavaScript or TypeScript file, relative to the file that names it'),
    export: z.string().min(1).default('default').describe('name of the exported function'),
  });
export type UserModule = z.output<ReturnType<typeof userModuleSchema>>;

/** The problem of a module that is not there, at its place in the config. */
export function moduleIssues(module: string, directory: string, place: readonly PropertyKey[] = []): ConfigIssue[] {
  if (existsSync(resolve(directory, module))) return [];
  const meant = nearestFile(module, directory);
  const hint = meant === undefined ? 'Check the path; it is relative to this file.' : `Did you mean \`${meant}\`?`;
  return [{ path: [...place, 'module'], message: `there is no file ${module}`, hint }];
}

/** Loads a function into a thread, where one that hangs, exits or throws ends its own call and not the run. */
export async function openUserModule(
  { module, export: name }: UserModule,
  { directory, threads, signal }: Pick<TargetContext, 'directory' | 'threads' | 'signal'>,
): Promise<ModuleWorkerClient> {
  const client = new ModuleWorkerClient(threads, resolve(directory, module), name);
  await untilAborted(client.load(), signal).catch(async (error: unknown) => {
    await client[Symbol.asyncDispose]();
    throw error;
  });
  return client;
}
