/** Files or folders by those that they import. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** Tarjan: groups of nodes that reach each other. */
export function cyclesIn(graph: Graph): string[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.get(node) ?? 0);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = open.splice(open.indexOf(node));
    if (group.length > 1) cycles.push(group.sort().join(' ↔ '));
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort();
}
