/** The tool under test: replace it with yours. */
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
