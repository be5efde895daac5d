import type { Problem } from '../../../../domain/problem.ts';
import { problemOfPattern } from '../../../../shared/patterns.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import type { McpServerConfig } from './mcp-server-schema.ts';

/** Regular expressions of suites that cannot be compiled, before any server is started. */
export function unusablePatterns(config: McpServerConfig, source: ParsedSource): Problem[] {
  return writtenPatterns(config).flatMap(({ path, pattern }) => {
    const problem = problemOfPattern(pattern);
    if (problem === undefined) return [];
    return [{ at: source.locate(path), message: `the regular expression cannot be used: ${problem}` }];
  });
}

interface WrittenPattern {
  readonly path: DataPath;
  readonly pattern: string;
}

function writtenPatterns({ promptSuites, resourceSuites }: McpServerConfig): WrittenPattern[] {
  const ofPrompts = promptSuites.flatMap((suite, index) =>
    (['tests', 'promptTests', 'templateTests'] as const).flatMap((list) =>
      suite[list].flatMap(({ expectedPatterns = [] }, test) =>
        expectedPatterns.map((pattern, place) => ({
          path: ['promptSuites', index, list, test, 'expectedPatterns', place],
          pattern,
        })),
      ),
    ),
  );
  const ofTemplates = resourceSuites.flatMap(({ templateTests }, index) =>
    templateTests.flatMap(({ expectedUriPattern: pattern }, test) =>
      pattern === undefined
        ? []
        : [{ path: ['resourceSuites', index, 'templateTests', test, 'expectedUriPattern'], pattern }],
    ),
  );
  return [...ofPrompts, ...ofTemplates];
}
