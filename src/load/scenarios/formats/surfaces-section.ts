import * as z from 'zod';
import type { Variant } from '../../../domain/variant.ts';
import { surfaceNames, type ToolSubsets, toolOfServer } from '../../../drive/mcp/surfaces/tool-surface.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { ChoiceProblem } from './agent-variants.ts';

/** The keys of a file for the ways in which tools of MCP servers are offered. */
export const surfacesKeys = (aboutSubsets: string) => ({
  surfaces: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'ways to offer the tools to the model, one variant each: `all`, `search` (find and call), `code` (one tool that runs programs), or the name of a subset',
    ),
  subsets: z
    .record(z.string().min(1), z.array(z.string().min(1)).min(1))
    .default({})
    .describe(aboutSubsets),
});

interface SurfaceSections {
  readonly surfaces?: readonly string[] | undefined;
  readonly subsets: ToolSubsets;
}

/** Surfaces that do not exist, and subsets with the name of one that does. */
export function surfaceProblems({ surfaces = [], subsets }: SurfaceSections): ChoiceProblem[] {
  const names = [...surfaceNames, ...Object.keys(subsets)];
  const unknown = surfaces.flatMap((name, index): ChoiceProblem[] => {
    if (names.includes(name)) return [];
    return [{ path: ['surfaces', index], message: `unknown surface "${name}"`, hint: suggestion(name, names) }];
  });
  const taken = surfaceNames.filter((name) => Object.hasOwn(subsets, name));
  const renamed = taken.map((name): ChoiceProblem => {
    const hint = 'Give the subset another name.';
    return { path: ['subsets', name], message: `\`${name}\` is the name of a surface that every server has`, hint };
  });
  return [...unknown, ...renamed];
}

/** The same, and tools of subsets that belong to none of the servers; which tools a server has is known when it runs. */
export function surfaceProblemsOfServers(sections: SurfaceSections, servers: readonly string[]): ChoiceProblem[] {
  const { surfaces, subsets } = sections;
  if (servers.length === 0) {
    const key = surfaces ? 'surfaces' : Object.keys(subsets).length > 0 ? 'subsets' : undefined;
    const message = `\`${key}\` offers the tools of MCP servers, and the scenario has none`;
    return key === undefined ? [] : [{ path: [key], message, hint: 'Add `mcp_servers`.' }];
  }
  const strangers = Object.entries(subsets).flatMap(([name, tools]) =>
    tools.flatMap((tool, index): ChoiceProblem[] => {
      if (toolOfServer(tool, servers)) return [];
      const hint = `Write \`server/tool\`, with one of these servers: ${servers.join(', ')}.`;
      return [{ path: ['subsets', name, index], message: `"${tool}" names no tool of a server`, hint }];
    }),
  );
  return [...surfaceProblems(sections), ...strangers];
}

/** Each variant with each surface; the same variants where none are named. */
export function withSurfaces(variants: readonly Variant[], surfaces: readonly string[] = []): readonly Variant[] {
  if (surfaces.length === 0) return variants;
  // A trial is identified by its variant, so duplicates are removed.
  const names = [...new Set(surfaces)];
  return variants.flatMap((variant) => names.map((surface) => ({ ...variant, surface })));
}
