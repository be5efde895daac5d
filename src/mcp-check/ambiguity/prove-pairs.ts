import { asAssayError } from '../../domain/errors.ts';
import { OfferedTools } from '../../drive/mcp/surfaces/offered-tools.ts';
import type { Model } from '../../drive/models/model.ts';
import { systemPrompt } from '../../drive/targets/mcp/workflow/prompt-and-wording.ts';
import { pullConcurrently } from '../../shared/async.ts';
import type { Arguments } from '../arguments/call-arguments.ts';
import { definitionsOf, type ListedServer, type ListedTool } from '../definitions/listed-server.ts';
import { type PromptBasis, pairPrompts } from '../prompts/pair-prompts.ts';
import type { ToolPrompt } from '../prompts/tool-prompts.ts';
import { ambiguousPairs } from '../rules/ambiguous-pairs.ts';
import { type Choices, confusionLimit, type JudgedPair, judgePair } from './judge-pair.ts';

type Pair = readonly [ListedTool, ListedTool];

/** A pair, and what a model did with requests for its tools. */
export interface PairProof extends JudgedPair {
  readonly tools: readonly [string, string];
  /** Null where no request could be written. */
  readonly basis: PromptBasis | null;
  readonly requests: number;
  readonly choices: readonly Choices[];
}

/** Pairs of tools that seemed ambiguous, tried on a model. */
export interface AmbiguityReport {
  readonly model: string;
  /** Share of wrong calls from which a pair counts as ambiguous. */
  readonly limit: number;
  readonly costUsd: number | null;
  /** Why not all pairs were tried; null where they were. */
  readonly incomplete: string | null;
  readonly pairs: readonly PairProof[];
}

interface ProofRequest {
  readonly model: Model;
  /** For each pair. */
  readonly requests: number;
  readonly seed: number;
  readonly knownArguments: ReadonlyMap<string, readonly Arguments[]>;
  readonly signal?: AbortSignal | undefined;
}

/** Requests to the model at the same time; its provider may allow fewer. */
const atOnce = 8;
/** Pairs grow with the square of the tools, and each costs a model dozens of requests. */
const mostPairs = 50;
const mostOutputTokens = 1_000;

/** Offers both tools of each ambiguous pair to a model, and counts which of them it calls. */
export async function provePairs(server: ListedServer, request: ProofRequest): Promise<AmbiguityReport> {
  const all = ambiguousPairs(server.tools);
  const report = { model: request.model.name, limit: confusionLimit };
  const proofs: PairProof[] = [];
  let costUsd: number | null = 0;
  let incomplete = all.length > mostPairs ? `only the first ${mostPairs} of ${all.length} pairs were tried` : null;
  for (const pair of all.slice(0, mostPairs)) {
    const tried = await tryPair(pair, server, request);
    costUsd = tried.costUsd === null || costUsd === null ? null : costUsd + tried.costUsd;
    proofs.push(tried.proof);
    if (tried.failure === undefined) continue;
    incomplete = tried.failure;
    break;
  }
  const untried = all.slice(proofs.length).map((pair) => untriedProof(pair, 'it was not tried'));
  return { ...report, costUsd, incomplete, pairs: [...proofs, ...untried] };
}

interface TriedPair {
  readonly proof: PairProof;
  readonly costUsd: number | null;
  /** Why the model could not be prompted any more. */
  readonly failure?: string | undefined;
}

async function tryPair(pair: Pair, server: ListedServer, request: ProofRequest): Promise<TriedPair> {
  const written = pairPrompts(pair, {
    count: request.requests,
    seed: request.seed,
    toolNames: server.tools.map(({ name }) => name),
    known: request.knownArguments,
  });
  if (!written) {
    const reason = 'their names and descriptions say the same, so no request can be meant for only one of them';
    return { proof: untriedProof(pair, reason), costUsd: 0 };
  }
  const counts = new ChoiceCounts(pair);
  let costUsd: number | null = 0;
  let failure: string | undefined;
  try {
    await pullConcurrently(inOrder(written.prompts), atOnce, async ([prompt, index]) => {
      const reply = await askFor(prompt, index, pair, server, request);
      costUsd = reply.costUsd === null || costUsd === null ? null : costUsd + reply.costUsd;
      counts.add(prompt.tool, reply.called);
    });
  } catch (error) {
    request.signal?.throwIfAborted();
    failure = asAssayError(error).message;
  }
  const choices = counts.choices;
  const judged = judgePair(choices);
  // Requests that were cut off are not a sample of those that were planned.
  const verdict: JudgedPair = failure === undefined ? judged : { ...judged, verdict: 'not-decided', reason: failure };
  const tools = [pair[0].name, pair[1].name] as const;
  const proof = { tools, basis: written.basis, requests: counts.total, choices, ...verdict };
  return { proof, costUsd, failure };
}

async function* inOrder<Item>(items: readonly Item[]): AsyncGenerator<readonly [Item, number]> {
  for (const [index, item] of items.entries()) yield [item, index];
}

/** Every other two requests offer the tools in the other order: models prefer the first, whatever it is. */
async function askFor(
  prompt: ToolPrompt,
  index: number,
  [a, b]: Pair,
  { facts }: ListedServer,
  { model, signal }: ProofRequest,
): Promise<{ readonly called: ReadonlySet<string>; readonly costUsd: number | null }> {
  const inTurn = Math.floor(index / 2) % 2 === 0 ? [a, b] : [b, a];
  const offered = new OfferedTools(definitionsOf(inTurn), {});
  const reply = await model.generate(
    {
      system: systemPrompt({ instructions: facts.instructions, system: undefined }),
      messages: [{ role: 'user', content: prompt.text }],
      tools: offered.forModel,
      maxOutputTokens: mostOutputTokens,
    },
    signal ?? new AbortController().signal,
  );
  const called = reply.toolCalls.flatMap(({ tool }) => offered.find(tool)?.ownName ?? []);
  return { called: new Set(called), costUsd: reply.costUsd };
}

class ChoiceCounts {
  readonly #counts: ReadonlyMap<string, { right: number; confused: number; neither: number }>;
  total = 0;

  constructor(pair: Pair) {
    this.#counts = new Map(pair.map(({ name }) => [name, { right: 0, confused: 0, neither: 0 }]));
  }

  add(tool: string, called: ReadonlySet<string>): void {
    const counts = this.#counts.get(tool);
    if (!counts) return;
    this.total++;
    if (called.size === 0) counts.neither++;
    else if (called.size === 1 && called.has(tool)) counts.right++;
    else counts.confused++;
  }

  get choices(): Choices[] {
    return [...this.#counts].map(([tool, counts]) => ({ tool, ...counts }));
  }
}

function untriedProof([a, b]: Pair, reason: string): PairProof {
  return {
    tools: [a.name, b.name],
    basis: null,
    requests: 0,
    choices: [],
    verdict: 'not-decided',
    reason,
    confusion: null,
  };
}
