import { openService, openTemporarySqlite, type Service, type ServiceOptions } from './service.ts';

/** The way to a 5xx: a service whose pets cannot be had; every attempt ends in this error. */
export async function openFailingService(error: unknown, options: ServiceOptions = {}): Promise<Service> {
  const fail = (): never => {
    throw error;
  };
  const pets = {
    version: fail,
    listPets: fail,
    getPet: fail,
    createPet: async () => fail(),
    checkWritable: async () => fail(),
  };
  return openService({ openStore: async () => ({ ...(await openTemporarySqlite()), pets }), ...options });
}
