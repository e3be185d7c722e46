import { openService, openTemporarySqlite, type Service, type ServiceOptions } from './service.ts';

/** The way to a 5xx: a service whose store fails with this error whenever a request needs it. */
export async function openFailingService(error: unknown, options: ServiceOptions = {}): Promise<Service> {
  const fail = (): never => {
    throw error;
  };
  const pets = {
    version: () => undefined,
    listPets: fail,
    getPet: fail,
    listCategories: fail,
    getCategory: fail,
    apply: async () => fail(),
    searchPets: fail,
    areWritesFailing: () => false,
  };
  const openStore = async () => {
    const store = await openTemporarySqlite();
    const events = { ...store.events, listEvents: fail };
    return { ...store, pets, events, orders: { listOrders: fail }, keys: { ...store.keys, findKey: fail } };
  };
  return openService({ openStore, ...options });
}
