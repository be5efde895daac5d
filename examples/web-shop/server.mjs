// A shop with one page. Each trial starts its own, so no trial sees what another did.
import { createServer } from 'node:http';

const orders = [
  { id: 'W1001', what: 'Lamp', status: 'open' },
  { id: 'W1002', what: 'Chair', status: 'open' },
];

const row = ({ id, what, status }) =>
  `<li class="order ${status}" id="${id}">${id} ${what}: <b>${status}</b>
   ${status === 'open' ? `<button onclick="cancel('${id}')">Cancel ${id}</button>` : ''}</li>`;

const page = () => `<!doctype html><title>Orders</title><h1>Your orders</h1><ul>${orders.map(row).join('')}</ul>
<script>
  async function cancel(id) {
    if (!confirm('Cancel ' + id + '?')) return;
    await fetch('/cancel/' + id, { method: 'POST' });
    localStorage.setItem('last', id);
    location.reload();
  }
</script>`;

createServer((request, response) => {
  const [, id] = /^\/cancel\/(\w+)$/.exec(request.url) ?? [];
  const order = request.method === 'POST' && orders.find((each) => each.id === id);
  if (order) order.status = 'cancelled';
  response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'visitor=1' });
  response.end(order ? '' : page());
}).listen(process.env.PORT, '127.0.0.1');
