import { isRecord } from '../../../shared/json.ts';
import type { EvalScorer, MCPTestContext } from '../eval-types.ts';
import { calledTools, toolsReached } from '../output.ts';
import { callableScorer, share, withinUnit } from './scorer.ts';

export interface ToolCallScorerOptions {
  /** Without them, those in `expected.tools` of the case. */
  readonly expectedTools?: readonly string[];
  /** Whether the expected tools must be called in their order; other calls may come between. */
  readonly expectedOrder?: boolean;
  readonly allowExtraTools?: boolean;
}

interface ToolUse {
  readonly called: readonly string[];
  readonly expected: readonly string[];
  readonly missing: readonly string[];
  /** Called, but the server has no such tool. */
  readonly invalid: readonly string[];
  /** Called and there, but not expected. */
  readonly extra: readonly string[];
  readonly isAnyAppropriate: boolean;
}

class ToolCalls implements EvalScorer {
  readonly name: string = 'Tool Call Evaluation';
  readonly #options: ToolCallScorerOptions;

  constructor(options: ToolCallScorerOptions = {}) {
    this.#options = options;
  }

  score(output: unknown, expected: unknown, context: MCPTestContext): number {
    const use = this.#useOf(output, expected, context);
    if (use.expected.length === 0) {
      if (use.invalid.length > 0) return 0.2;
      return use.called.length === 0 ? 1 : 0.5;
    }
    const found = share(use.expected.length - use.missing.length, use.expected);
    const extraTools = this.#options.allowExtraTools ? 0.1 : -Math.min(0.1 * use.extra.length, 0.1);
    return withinUnit(
      0.6 * found +
        0.2 * share(this.#orderHits(use), use.expected) -
        Math.min(0.3 * use.invalid.length, 0.5) +
        extraTools +
        (use.isAnyAppropriate ? 0.1 : 0),
    );
  }

  explain(output: unknown, expected: unknown, context: MCPTestContext): string {
    const use = this.#useOf(output, expected, context);
    const parts = [
      use.expected.length === 0 ? 'No particular tools expected' : `Expected ${listed(use.expected)}`,
      `called ${listed(use.called)}`,
      ...(use.missing.length > 0 ? [`missing ${listed(use.missing)}`] : []),
      ...(use.extra.length > 0 && !this.#options.allowExtraTools ? [`not expected ${listed(use.extra)}`] : []),
      ...(use.invalid.length > 0 ? [`not tools of the server ${listed(use.invalid)}`] : []),
      ...(this.#orderHits(use) < use.expected.length - use.missing.length ? ['not in the expected order'] : []),
    ];
    return parts.join(', ');
  }

  #useOf(output: unknown, expected: unknown, context: MCPTestContext): ToolUse {
    const wanted = this.#options.expectedTools ?? toolsIn(expected);
    const called = toolsReached(output);
    const available = context.tools.map(({ name }) => name);
    return {
      called,
      expected: wanted,
      missing: wanted.filter((tool) => !called.includes(tool)),
      invalid: calledTools(output).filter((tool) => !available.includes(tool)),
      extra: called.filter((tool) => !wanted.includes(tool) && available.includes(tool)),
      isAnyAppropriate: called.some((tool) => wanted.includes(tool) && available.includes(tool)),
    };
  }

  #orderHits({ expected, called }: ToolUse): number {
    if (!this.#options.expectedOrder || expected.length <= 1) return expected.length;
    let after = 0;
    let hits = 0;
    for (const tool of expected) {
      const index = called.indexOf(tool, after);
      if (index < 0) continue;
      hits += 1;
      after = index + 1;
    }
    return hits;
  }
}

/** Scores which tools were called, whether they exist, and in what order. */
export const ToolCallScorer = callableScorer(ToolCalls);
export type ToolCallScorer = ToolCalls;

function toolsIn(expected: unknown): readonly string[] {
  const tools = isRecord(expected) ? expected.tools : undefined;
  return Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : [];
}

function listed(tools: readonly string[]): string {
  return `[${tools.join(', ')}]`;
}
