"""Power of the equipment and of the site, energy and emissions."""

from reportgen.estimator.structure import batch_inference, fabric, training
from reportgen.formula import (
    HOURS_PER_YEAR,
    KILOWATT,
    MISSING,
    Constant,
    all_of,
    ceil,
    formula,
    is_known,
    where,
)

GRAMS_PER_TONNE = Constant(1e6, "g/t", "10^6")


@formula(unit="kW", symbol="P_s", source="catalog", when=fabric)
def server_power_kw(nodes_installed, node_power_kw):
    """Spare nodes are powered and cooled like the others."""
    return where(is_known(node_power_kw), nodes_installed * node_power_kw, MISSING)


@formula(unit="kW", symbol="P_s", source="catalog", when=~fabric, name="server_power_kw")
def workstation_power_kw(gpus_installed, gpus_per_node, node_power_kw):
    """The share of a full server that the cards make up."""
    return where(is_known(node_power_kw), gpus_installed / gpus_per_node * node_power_kw, MISSING)


@formula(unit="kW", symbol="P_sw", source="cluster-rules", when=fabric)
def switch_power_total_kw(
    compute_switches,
    storage_switches,
    inband_switches,
    out_of_band_switches,
    switch_power_kw,
    ethernet_switch_power_kw,
    out_of_band_switch_power_kw,
):
    """Switches without their optics."""
    fast = (compute_switches + storage_switches) * switch_power_kw
    return fast + inband_switches * ethernet_switch_power_kw + out_of_band_switches * out_of_band_switch_power_kw


@formula(unit="kW", symbol="P_o", source="nvidia-linkx", when=fabric)
def optics_power_kw(switch_transceivers, node_transceivers, switch_transceiver_power_w, node_transceiver_power_w):
    """About 30 W for every GPU at 400 Gbit/s."""
    watts = switch_transceivers * switch_transceiver_power_w + node_transceivers * node_transceiver_power_w
    return watts / KILOWATT


@formula(unit="kW", symbol="P_net", source="reportgen", when=fabric)
def network_power_kw(switch_power_total_kw, optics_power_kw):
    """The network as a whole."""
    return switch_power_total_kw + optics_power_kw


@formula(unit="kW", symbol="P_st", source="cluster-rules", when=fabric)
def storage_power_kw(storage_servers, storage_server_power_kw):
    """Servers full of flash."""
    return storage_servers * storage_server_power_kw


@formula(unit="kW", symbol="P_m", source="cluster-rules", when=fabric)
def management_power_kw(support_servers, fabric_managers, support_server_power_kw):
    """Ordinary servers."""
    return (support_servers + fabric_managers) * support_server_power_kw


@formula(unit="kW", symbol="P_ups", source="cluster-rules", when=fabric)
def ups_kw(network_power_kw, storage_power_kw, management_power_kw):
    """Network, storage and management end in order; accelerators lose no more than the work since a checkpoint."""
    return ceil(network_power_kw + storage_power_kw + management_power_kw)


@formula(unit="kW", symbol="P_it", source="reportgen", when=fabric)
def it_power_kw(server_power_kw, network_power_kw, storage_power_kw, management_power_kw):
    """The maximum of all equipment: what circuits must carry."""
    rest = network_power_kw + storage_power_kw + management_power_kw
    return where(is_known(server_power_kw), server_power_kw + rest, MISSING)


@formula(unit="kW", symbol="P_it", source="reportgen", when=~fabric, name="it_power_kw")
def workstation_it_power_kw(server_power_kw):
    """A workstation is all there is."""
    return server_power_kw


@formula(unit="kW", symbol="P_site", source="uptime-survey")
def facility_power_kw(it_power_kw, pue):
    """With cooling and losses: what the building must bring."""
    return where(is_known(it_power_kw), it_power_kw * pue, MISSING)


@formula(unit="kW", symbol="P_typ", source="dgx-power-2024")
def typical_power_kw(it_power_kw, typical_power_share):
    """Servers under load draw less than is printed: 7.8 to 8.4 of 10.2 kW."""
    return where(is_known(it_power_kw), it_power_kw * typical_power_share, MISSING)


@formula(unit="share", symbol="f_P", source="cluster-rules")
def power_load_share(owned_utilization, idle_power_share):
    """Idle equipment still draws a quarter."""
    return idle_power_share + (1 - idle_power_share) * owned_utilization


@formula(unit="kWh/years", symbol="E", source="reportgen")
def energy_per_year_kwh(typical_power_kw, power_load_share, pue):
    """What the meter counts in a year."""
    return where(is_known(typical_power_kw), typical_power_kw * power_load_share * pue * HOURS_PER_YEAR, MISSING)


@formula(unit="t/years", symbol="m_CO2", source="codecarbon")
def co2_per_year_t(energy_per_year_kwh, grid_co2_g_per_kwh):
    """By the grid of the region; equipment made elsewhere is not counted."""
    known = is_known(energy_per_year_kwh)
    return where(known, energy_per_year_kwh * grid_co2_g_per_kwh / GRAMS_PER_TONNE, MISSING)


@formula(unit="kWh", symbol="E_job", source="reportgen", when=training | batch_inference)
def job_energy_kwh(typical_power_kw, pue, job_hours):
    """The job alone, at typical power from first to last hour."""
    known = all_of(is_known(typical_power_kw), is_known(job_hours))
    return where(known, typical_power_kw * pue * job_hours, MISSING)


@formula(unit="t", symbol="m_job", source="codecarbon", when=training | batch_inference)
def job_co2_t(job_energy_kwh, grid_co2_g_per_kwh):
    """Emissions of the job alone."""
    return where(is_known(job_energy_kwh), job_energy_kwh * grid_co2_g_per_kwh / GRAMS_PER_TONNE, MISSING)
