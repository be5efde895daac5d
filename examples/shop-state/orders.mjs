import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('./.assay/orders.json', import.meta.url);

export function orderIn(text) {
  const [id] = /W\d+/.exec(text) ?? [];
  return JSON.parse(readFileSync(file, 'utf8')).find((order) => order.id === id);
}

export function setStatus(id, status) {
  const orders = JSON.parse(readFileSync(file, 'utf8'));
  for (const order of orders) if (order.id === id) order.status = status;
  writeFileSync(file, JSON.stringify(orders));
}
