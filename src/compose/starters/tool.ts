import type { Starter } from './starter.ts';

const tool = `/** The tool under test: replace it with yours. */
export function searchOrders({ customer, limit = 10 }) {
  if (typeof customer !== 'string' || customer === '') throw new Error('customer is required');
  const orders = [
    { id: 'A-1001', customer: 'ada', total: 42 },
    { id: 'A-1002', customer: 'ada', total: 17.5 },
    { id: 'A-1003', customer: 'grace', total: 99 },
  ];
  const found = orders.filter((order) => order.customer === customer);
  return { orders: found.slice(0, limit), count: found.length };
}
`;

const scenario = `# One scenario: a tool, the inputs to call it with, and what must be true of the answers.
# Criteria see \`result\`, \`error\`, \`input\` and \`expected\`. Check the file with: assay validate
name: Search orders
description: The tool finds a customer's orders and refuses a call without a customer
tags: [smoke]
call:
  module: ../tools/search-orders.mjs
  export: searchOrders
cases:
  - name: finds both orders
    input: { customer: ada }
    passCriteria:
      - result.count === 2
      - result.orders.every(order => order.customer === input.customer)
  - name: respects the limit
    input: { customer: ada, limit: 1 }
    passCriteria:
      - result.orders.length === 1
  - name: finds nothing for a stranger
    input: { customer: eve }
    passCriteria:
      - result.count === 0
      - result.orders.length === 0
  - name: refuses a call without a customer
    input: {}
    passCriteria:
      - error.message.includes('customer is required')
    failCriteria:
      - result !== undefined
evaluators:
  - type: latency-budget
    config: { maxMs: 1000 }
`;

const config = `# Defaults for this project. Every key: assay schema config
scenarios: [scenarios]
concurrency: 8
timeoutSecs: 10
`;

/** A tool that is called directly. */
export const toolStarter: Starter = {
  kind: 'tool',
  summary: 'a tool that is called directly: a function, a command or an HTTP endpoint',
  files: [
    { path: 'assay.config.yaml', purpose: 'defaults of the project', text: config },
    { path: 'scenarios/search-orders.yaml', purpose: 'a scenario with four cases', text: scenario },
    { path: 'tools/search-orders.mjs', purpose: 'the tool under test', text: tool },
  ],
};
