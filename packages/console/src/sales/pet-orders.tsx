import { useEffect, useState } from 'preact/hooks';
import type { Order, Pet, PetstoreClient } from '../../../client/src/index.ts';
import { labelOf } from '../draft.ts';

/** The latest orders of one pet. */
export function PetOrders({ client, pet }: { client: PetstoreClient; pet: Pet }) {
  const [orders, setOrders] = useState<readonly Order[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    client
      .listOrders({ petId: pet.id, order: 'newest', limit: 3, signal: stop.signal })
      .then((page) => setOrders(page.orders))
      // The list already tells that the service is away.
      .catch(() => {});
    return () => stop.abort();
  }, [client, pet.id, pet.status]);
  if (orders.length === 0) return null;
  return (
    <div class="pet-orders help">
      {orders.map((order) => (
        <p key={order.id.toString()}>{tellOrder(order)}</p>
      ))}
      <a href={`#/sales?pet=${pet.id}`}>All sales of this pet</a>
    </div>
  );
}

function tellOrder({ status, createdAt, createdBy }: Order): string {
  const time = createdAt.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return `${labelOf(status)}${createdBy === undefined ? '' : ` by ${createdBy}`}, ${time}`;
}
